"""What heads measure in evaluations, for both forms of it.

``create_estimator_spec`` has operations of tf.metrics, as its graph is evaluated by a session.
``Head.metrics`` makes Keras metrics, which ``update_metrics`` feeds, in graphs and eagerly.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

Values = Callable[[Mapping[str, Any], Any], tuple[Any, ...]]


class Measure(NamedTuple):
    """A metric.

    Attributes:
        values: takes predictions by name and the labels; returns what is measured.
        operations: takes these and the weights, or None; returns value and update op.
        kind: the class of tf.keras.metrics that measures the same.
        options: its arguments.
    """

    values: Values
    operations: Callable[..., tuple[Any, Any]]
    kind: str = "Mean"
    options: Mapping[str, Any] = {}

    def keras_metric(self, key: str) -> Any:
        """Returns a new Keras metric."""
        metric = getattr(tf.keras.metrics, self.kind)(name=key, **self.options)
        if self.operations is _baseline:
            # What always predicting the more frequent class reaches.
            # Of the mean over all batches, and not of each: no class of Keras computes it.
            mean = metric.result
            metric.result = lambda: tf.maximum(mean(), 1.0 - mean())
        return metric

    def update(
        self, metric: Any, predictions: Mapping[str, Any], labels: Any, weights: Any
    ) -> None:
        """Adds a batch to a Keras metric."""
        values = self.values(predictions, labels)
        if self.kind == "Mean":
            update_mean(metric, values[0], weights)
        else:
            metric.update_state(*values, sample_weight=weights)


def update_mean(metric: Any, values: Any, weights: Any = None) -> None:
    """Adds a batch to a Keras metric of a mean, whose values may have one weight for several."""
    values = tf.cast(values, tf.float32)
    weights = None if weights is None else weights * tf.ones_like(values)
    metric.update_state(values, sample_weight=weights)


def mean(values: Values) -> Measure:
    """Returns the mean of a number."""
    return Measure(values, _mean)


def baseline(values: Values) -> Measure:
    """Returns the accuracy of always predicting the more frequent of two classes."""
    return Measure(values, _baseline)


def of_classes(values: Values) -> dict[str, Measure]:
    """Returns measures of labels and predicted classes, by their names."""
    return {
        "accuracy": Measure(values, tf.metrics.accuracy, "Accuracy"),
        "precision": Measure(values, tf.metrics.precision, "Precision"),
        "recall": Measure(values, tf.metrics.recall, "Recall"),
    }


def at_thresholds(values: Values, thresholds: Sequence[float]) -> dict[str, Measure]:
    """Returns accuracy, precision and recall for every threshold.

    Args:
        values: labels [..., n] of zeros and ones, and float probabilities [..., n]; positive is
            what is above a threshold.
        thresholds: in (0, 1).
    """
    measures = {}
    for threshold in thresholds:
        suffix = f"positive_threshold_{threshold:g}"
        measures[f"accuracy/{suffix}"] = Measure(
            values, _accuracy_at(threshold), "BinaryAccuracy", {"threshold": threshold}
        )
        for key, function in (
            ("precision", tf.metrics.precision_at_thresholds),
            ("recall", tf.metrics.recall_at_thresholds),
        ):
            measures[f"{key}/{suffix}"] = Measure(
                values, _at(function, threshold), key.title(), {"thresholds": threshold}
            )
    return measures


def areas(values: Values, summation_method: str) -> dict[str, Measure]:
    """Returns the areas under the curves.

    Args:
        values: labels [..., n] of zeros and ones, and float probabilities [..., n].
        summation_method: of ``tf.metrics.auc`` for precision over recall. tf.keras.metrics.AUC,
            which heads have in TensorFlow 1.15, interpolates as "careful_interpolation" does.
    """

    def over_recall(labels: Any, probabilities: Any, weights: Any) -> Any:
        return tf.metrics.auc(
            labels, probabilities, weights, curve="PR", summation_method=summation_method
        )

    return {
        "auc": Measure(values, tf.metrics.auc, "AUC"),
        "auc_precision_recall": Measure(values, over_recall, "AUC", {"curve": "PR"}),
    }


def _mean(values: Any, weights: Any) -> tuple[Any, Any]:
    return tf.metrics.mean(tf.cast(values, tf.float32), weights)  # type: ignore[no-any-return]


def _baseline(labels: Any, weights: Any) -> tuple[Any, Any]:
    value, update = _mean(labels, weights)
    return tf.maximum(value, 1.0 - value), tf.maximum(update, 1.0 - update)


def _accuracy_at(threshold: float) -> Callable[..., tuple[Any, Any]]:
    def operations(labels: Any, probabilities: Any, weights: Any) -> Any:
        above = tf.cast(tf.greater(probabilities, threshold), labels.dtype)
        return tf.metrics.accuracy(labels, above, weights)

    return operations


def _at(function: Callable[..., Any], threshold: float) -> Callable[..., tuple[Any, Any]]:
    def operations(labels: Any, probabilities: Any, weights: Any) -> tuple[Any, Any]:
        value, update = function(labels, probabilities, (threshold,), weights)
        return tf.squeeze(value), tf.squeeze(update)

    return operations
