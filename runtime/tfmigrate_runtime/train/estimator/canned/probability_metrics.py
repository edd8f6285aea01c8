"""Metrics of probabilities against labels that are 0 or 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf


def at_thresholds(
    labels: Any, probabilities: Any, thresholds: Sequence[float], weights: Any
) -> dict[str, Any]:
    """Returns accuracy, precision and recall for every threshold.

    Args:
        labels: number tensor [..., n] of zeros and ones.
        probabilities: float tensor [..., n]; positive is what is above a threshold.
        thresholds: in (0, 1).
        weights: float tensor [..., 1], or None.

    Returns:
        (value, update op) by the name of the metric.
    """
    metrics = {}
    for threshold in thresholds:
        above = tf.cast(tf.greater(probabilities, threshold), labels.dtype)
        suffix = f"positive_threshold_{threshold:g}"
        metrics[f"accuracy/{suffix}"] = tf.metrics.accuracy(labels, above, weights)
        for key, metric in (
            ("precision", tf.metrics.precision_at_thresholds),
            ("recall", tf.metrics.recall_at_thresholds),
        ):
            value, update = metric(labels, probabilities, (threshold,), weights)
            metrics[f"{key}/{suffix}"] = (tf.squeeze(value), tf.squeeze(update))
    return metrics


def areas(labels: Any, probabilities: Any, weights: Any, summation_method: str) -> dict[str, Any]:
    """Returns the areas under the curves.

    Args:
        labels: number tensor [..., n] of zeros and ones.
        probabilities: float tensor [..., n].
        weights: float tensor [..., 1], or None.
        summation_method: of ``tf.metrics.auc`` for precision over recall. tf.keras.metrics.AUC,
            which heads have in TensorFlow 1.15, interpolates as "careful_interpolation" does.

    Returns:
        (value, update op) of "auc" and "auc_precision_recall".
    """
    return {
        "auc": tf.metrics.auc(labels, probabilities, weights),
        "auc_precision_recall": tf.metrics.auc(
            labels, probabilities, weights, curve="PR", summation_method=summation_method
        ),
    }
