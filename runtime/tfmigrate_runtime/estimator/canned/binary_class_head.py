"""Two classes, by one logit and the sigmoid cross entropy."""

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
from tfmigrate_runtime.estimator.export import RegressionOutput


class BinaryClassHead(SingleHead):
    """Single-label binary classification (``tf.estimator.BinaryClassHead``)."""

    _summation_of_precision_over_recall = "careful_interpolation"

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Makes a head.

        Args:
            weight_column: the name of a feature, or a numeric column, that weights examples.
            thresholds: in (0, 1), for which accuracy, precision and recall are reported.
            label_vocabulary: the two string labels; None where labels are numbers in [0, 1].
            loss_reduction: a ``tf.losses.Reduction`` or its Keras name, not NONE.
            loss_fn: takes labels and logits [..., 1]; None for the sigmoid cross entropy.
            name: suffix of the names of summaries and metrics.

        Raises:
            ValueError: a threshold is not in (0, 1), or the loss_reduction is unknown.
        """
        super().__init__(1, weight_column, loss_reduction, loss_fn, name)
        self._thresholds = tuple(thresholds or ())
        if any(not 0.0 < threshold < 1.0 for threshold in self._thresholds):
            raise ValueError(f"thresholds not in (0, 1): {self._thresholds}.")
        self._vocabulary = classes.checked_vocabulary(label_vocabulary, 2)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        of_both = tf.concat([tf.zeros_like(logits), logits], axis=-1)
        return {
            "logits": logits,
            "logistic": tf.sigmoid(logits),
            "probabilities": tf.nn.softmax(of_both),
            **classes.class_predictions(logits, of_both, self._vocabulary, 2),
        }

    def _processed_labels(self, labels: Any, logits: Any) -> Any:
        labels = labels_and_weights.dense_labels(labels, logits, 1)
        if self._vocabulary is not None:
            labels = labels_and_weights.class_ids(labels, self._vocabulary)
        return labels_and_weights.in_range(tf.cast(labels, tf.float32), 2)

    def _unreduced_loss(self, labels: Any, logits: Any) -> Any:
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def _measures(self) -> dict[str, Measure]:
        def probabilities(predictions: Mapping[str, Any], labels: Any) -> tuple[Any, Any]:
            return labels, predictions["logistic"]

        return {
            **measures.of_classes(lambda predictions, labels: (labels, predictions["class_ids"])),
            "prediction/mean": measures.mean(lambda predictions, _: (predictions["logistic"],)),
            "label/mean": measures.mean(lambda _, labels: (labels,)),
            "accuracy_baseline": measures.baseline(lambda _, labels: (labels,)),
            **measures.areas(probabilities, self._summation_of_precision_over_recall),
            **measures.at_thresholds(probabilities, self._thresholds),
        }

    def _export_outputs(self, predictions: Mapping[str, Any]) -> dict[str, Any]:
        output = classes.classification_output(predictions["probabilities"], self._vocabulary, 2)
        return {
            DEFAULT_SIGNATURE: output,
            "classification": output,
            "regression": RegressionOutput(predictions["logistic"]),
        }
