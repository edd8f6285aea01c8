"""More than two classes, by the softmax cross entropy."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned import classes, labels_and_weights, measures
from tfmigrate_runtime.estimator.canned.measures import Measure
from tfmigrate_runtime.estimator.canned.single_head import (
    DEFAULT_SIGNATURE,
    SUM_OVER_BATCH_SIZE,
    SingleHead,
)


class MultiClassHead(SingleHead):
    """Single-label classification (``tf.estimator.MultiClassHead``)."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Makes a head.

        Args:
            n_classes: how many classes, more than 2.
            weight_column: the name of a feature, or a numeric column, that weights examples.
            label_vocabulary: the string labels; None where labels are integers in [0, n_classes).
            loss_reduction: a ``tf.losses.Reduction`` or its Keras name, not NONE.
            loss_fn: takes labels [..., 1] and logits; None for the softmax cross entropy.
            name: suffix of the names of summaries and metrics.

        Raises:
            ValueError: there are no more than 2 classes, or the loss_reduction is unknown.
        """
        if n_classes is None:
            raise ValueError("n_classes cannot be None")
        if n_classes <= 2:
            raise ValueError(f"n_classes must be > 2: {n_classes}.")
        super().__init__(n_classes, weight_column, loss_reduction, loss_fn, name)
        self._vocabulary = classes.checked_vocabulary(label_vocabulary, n_classes)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        named = classes.class_predictions(logits, logits, self._vocabulary, self.logits_dimension)
        return {"logits": logits, "probabilities": tf.nn.softmax(logits), **named}

    def _processed_labels(self, labels: Any, logits: Any) -> Any:
        labels = labels_and_weights.dense_labels(labels, logits, 1)
        if self._vocabulary is not None:
            if labels.dtype != tf.string:
                raise ValueError(
                    "Labels dtype should be string if there is a vocabulary. "
                    f"Instead got {labels.dtype}"
                )
            labels = labels_and_weights.class_ids(labels, self._vocabulary)
        elif not labels.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
        return labels_and_weights.in_range(labels, self.logits_dimension)

    def _unreduced_loss(self, labels: Any, logits: Any) -> Any:
        losses = tf.losses.sparse_softmax_cross_entropy(
            labels, logits, reduction=tf.losses.Reduction.NONE
        )
        return tf.expand_dims(losses, axis=-1)

    def _measures(self) -> dict[str, Measure]:
        of_classes = measures.of_classes(lambda values, labels: (labels, values["class_ids"]))
        return {"accuracy": of_classes["accuracy"]}

    def _export_outputs(self, predictions: Mapping[str, Any]) -> dict[str, Any]:
        output = classes.classification_output(
            predictions["probabilities"], self._vocabulary, self.logits_dimension
        )
        return {DEFAULT_SIGNATURE: output, "classification": output}
