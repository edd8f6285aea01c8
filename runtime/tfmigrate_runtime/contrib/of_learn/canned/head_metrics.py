"""Metrics of contrib.learn's heads, besides the loss."""

from collections.abc import Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.losses import broadcast_weights
from tfmigrate_runtime.contrib.of_learn.keys import MetricKey, PredictionKey


def of_two_classes(
    predictions: dict[str, Any], labels: Any, weights: Any, thresholds: Iterable[float]
) -> dict[str, Any]:
    """Returns metrics of one logit by name."""
    logistic = predictions[PredictionKey.LOGISTIC]
    classes = predictions[PredictionKey.CLASSES]
    metrics_by_key = {
        MetricKey.ACCURACY: tf.metrics.accuracy(labels, classes, weights),
        MetricKey.PREDICTION_MEAN: _mean(logistic, weights),
        MetricKey.LABEL_MEAN: _mean(labels, weights),
        MetricKey.ACCURACY_BASELINE: _mean(labels, weights),
        MetricKey.AUC: _area(logistic, labels, weights, "ROC"),
        MetricKey.AUC_PR: _area(logistic, labels, weights, "PR"),
    }
    for threshold in thresholds:
        above = tf.cast(tf.greater_equal(logistic, threshold), tf.float32)
        arguments = (labels, logistic, (threshold,), weights)
        metrics_by_key[MetricKey.ACCURACY_MEAN % threshold] = tf.metrics.accuracy(
            labels, above, weights
        )
        precision = tf.metrics.precision_at_thresholds(*arguments)
        metrics_by_key[MetricKey.PRECISION_MEAN % threshold] = tuple(map(tf.squeeze, precision))
        recall = tf.metrics.recall_at_thresholds(*arguments)
        metrics_by_key[MetricKey.RECALL_MEAN % threshold] = tuple(map(tf.squeeze, recall))
    return metrics_by_key


def of_classes(
    predictions: dict[str, Any], labels: dict[str, Any], weights: Any, class_ids: Iterable[int]
) -> dict[str, Any]:
    """Returns metrics of several logits by name.

    Args:
        predictions: those of the head.
        labels: ``labels`` as they were given, and ``label_ids``.
        weights: or None.
        class_ids: classes that have metrics of their own.
    """
    classes = predictions[PredictionKey.CLASSES]
    metrics_by_key = {MetricKey.ACCURACY: tf.metrics.accuracy(labels["labels"], classes, weights)}
    for row in class_ids:
        is_predicted = tf.cast(tf.equal(classes, tf.constant(row, classes.dtype)), tf.float32)
        ids = labels["label_ids"]
        is_label = tf.cast(tf.equal(ids, tf.constant(row, ids.dtype)), tf.float32)
        columns = {
            MetricKey.CLASS_PROBABILITY_MEAN: predictions[PredictionKey.PROBABILITIES],
            MetricKey.CLASS_LOGITS_MEAN: predictions[PredictionKey.LOGITS],
        }
        metrics_by_key[MetricKey.CLASS_PREDICTION_MEAN % row] = tf.metrics.mean(
            is_predicted, weights
        )
        metrics_by_key[MetricKey.CLASS_LABEL_MEAN % row] = tf.metrics.mean(is_label, weights)
        for name, values in columns.items():
            own = None if weights is None else broadcast_weights(weights, values)[:, row]
            metrics_by_key[name % row] = tf.metrics.mean(values[:, row], own)
    return metrics_by_key


def _mean(values: Any, weights: Any) -> Any:
    values = tf.cast(values, tf.float32)
    own = None if weights is None else broadcast_weights(weights, values)
    return tf.metrics.mean(values, own)


def _area(predictions: Any, labels: Any, weights: Any, curve: str) -> Any:
    own = None if weights is None else broadcast_weights(weights, predictions)
    return tf.metrics.auc(tf.cast(labels, tf.bool), predictions, own, curve=curve)
