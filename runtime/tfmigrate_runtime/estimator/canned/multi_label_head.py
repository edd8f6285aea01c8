"""Any number of classes of an example, by the sigmoid cross entropy of each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned import classes, labels_and_weights, measures
from tfmigrate_runtime.estimator.canned.measures import Measure, Values
from tfmigrate_runtime.estimator.canned.single_head import (
    DEFAULT_SIGNATURE,
    SUM_OVER_BATCH_SIZE,
    SingleHead,
)

_SUMMATION_OF_PRECISION_OVER_RECALL = "careful_interpolation"


class MultiLabelHead(SingleHead):
    """Multi-label classification (``tf.estimator.MultiLabelHead``).

    Labels are integers [..., n_classes], 1 for the classes that an example has and 0 for the
    others; or a SparseTensor [..., any] of class indices or, with a vocabulary, of strings.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        thresholds: Iterable[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        classes_for_class_based_metrics: Iterable[int | str] | None = None,
        name: str | None = None,
    ) -> None:
        """Makes a head.

        Args:
            n_classes: how many classes, more than 1.
            weight_column: the name of a feature, or a numeric column, that weights examples.
            thresholds: in (0, 1), for which accuracy, precision and recall are reported.
            label_vocabulary: the string labels; None where sparse labels are integers in
                [0, n_classes).
            loss_reduction: a ``tf.losses.Reduction`` or its Keras name, not NONE.
            loss_fn: takes labels and logits [..., n_classes], and features if it wants, and
                returns losses [..., 1]; None for the sigmoid cross entropy's mean over classes.
            classes_for_class_based_metrics: indices or, with a vocabulary, names of classes that
                have metrics of their own.
            name: suffix of the names of summaries and metrics.

        Raises:
            ValueError: there are no more than 1 classes, a threshold is not in (0, 1), the
                vocabulary is of another size or no list, a class is not there, the loss_fn takes
                something else, or the loss_reduction is unknown.
        """
        if n_classes is None or n_classes < 2:
            raise ValueError(
                f"n_classes must be > 1 for multi-label classification. Given: {n_classes}"
            )
        self._thresholds = tuple(thresholds or ())
        for threshold in self._thresholds:
            if not 0.0 < threshold < 1.0:
                raise ValueError(f"thresholds must be in (0, 1) range. Given: {threshold}")
        self._vocabulary = _checked_vocabulary(label_vocabulary, n_classes)
        super().__init__(n_classes, weight_column, loss_reduction, loss_fn, name)
        self._classes_with_metrics = _class_ids(
            tuple(classes_for_class_based_metrics or ()), self._vocabulary, n_classes
        )

    def _predictions(self, logits: Any) -> dict[str, Any]:
        return {"logits": logits, "probabilities": tf.sigmoid(logits)}

    def _processed_labels(self, labels: Any, logits: Any) -> Any:
        """Returns int64 or the given integers [..., n_classes], zeros and ones."""
        if isinstance(labels, tf.SparseTensor):
            labels = tf.cast(self._indicators(labels), tf.int64)
        elif labels is not None:
            message = "labels must be an integer indicator Tensor with values in [0, 1]"
            labels = labels_and_weights.in_range(tf.convert_to_tensor(labels), 2, message)
        return labels_and_weights.dense_labels(labels, logits, self.logits_dimension)

    def _indicators(self, labels: Any) -> Any:
        """Returns bool [..., n_classes] of a SparseTensor of indices or strings."""
        ids = labels.values
        if labels.dtype == tf.string:
            if self._vocabulary is None:
                raise ValueError("label_vocabulary must be provided when labels are strings.")
            ids = labels_and_weights.class_ids(ids, self._vocabulary)
        elif not ids.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer. Instead got {ids.dtype}.")
        else:
            message = (
                "labels must be an integer SparseTensor with values in "
                f"[0, {self.logits_dimension})"
            )
            ids = labels_and_weights.in_range(ids, self.logits_dimension, message)
        of_ids = tf.SparseTensor(labels.indices, ids, labels.dense_shape)
        return tf.sparse.to_indicator(of_ids, self.logits_dimension)

    def _unreduced_loss(self, labels: Any, logits: Any) -> Any:
        of_classes = tf.nn.sigmoid_cross_entropy_with_logits(
            labels=tf.cast(labels, logits.dtype), logits=logits
        )
        return tf.reduce_mean(of_classes, axis=-1, keepdims=True)

    def _measures(self) -> dict[str, Measure]:
        def of_all(predictions: Mapping[str, Any], labels: Any) -> tuple[Any, Any]:
            return labels, predictions["probabilities"]

        measures_by_key = {
            **measures.areas(of_all, _SUMMATION_OF_PRECISION_OVER_RECALL),
            **measures.at_thresholds(of_all, self._thresholds),
        }
        for index in self._classes_with_metrics:
            suffix = f"class{index}" if self._vocabulary is None else self._vocabulary[index]
            of_class = _of_class(of_all, index)
            measures_by_key[f"probability_mean/{suffix}"] = measures.mean(_last(of_class))
            areas = measures.areas(of_class, _SUMMATION_OF_PRECISION_OVER_RECALL)
            measures_by_key.update({f"{key}/{suffix}": measure for key, measure in areas.items()})
        return measures_by_key

    def _export_outputs(self, predictions: Mapping[str, Any]) -> dict[str, Any]:
        output = classes.classification_output(
            predictions["probabilities"], self._vocabulary, self.logits_dimension
        )
        return {DEFAULT_SIGNATURE: output, "classification": output}


def _of_class(values: Values, index: int) -> Values:
    """Returns a function for one class of the last axis."""

    def of_class(predictions: Mapping[str, Any], labels: Any) -> tuple[Any, ...]:
        return tuple(value[..., index : index + 1] for value in values(predictions, labels))

    return of_class


def _last(values: Values) -> Values:
    return lambda predictions, labels: values(predictions, labels)[-1:]


def _checked_vocabulary(vocabulary: Any, n_classes: int) -> list[str] | None:
    if vocabulary is None:
        return None
    if not isinstance(vocabulary, (list, tuple)):
        raise ValueError(
            f"label_vocabulary must be a list or tuple. Given type: {type(vocabulary)}"
        )
    if len(vocabulary) != n_classes:
        raise ValueError(
            f"Length of label_vocabulary must be n_classes ({n_classes}). Given: {len(vocabulary)}"
        )
    return list(vocabulary)


def _class_ids(
    classes: tuple[Any, ...], vocabulary: Sequence[str] | None, n_classes: int
) -> tuple[int, ...]:
    """Returns the indices of classes that are given by index or by name."""
    if classes and isinstance(classes[0], str):
        if not vocabulary:
            raise ValueError(
                "label_vocabulary must be provided when classes_for_class_based_metrics are "
                "strings."
            )
        return tuple(vocabulary.index(name) for name in classes)
    for class_id in classes:
        if not 0 <= class_id < n_classes:
            raise ValueError(
                f"All classes_for_class_based_metrics must be in range [0, {n_classes - 1}]. "
                f"Given: {class_id}"
            )
    return classes
