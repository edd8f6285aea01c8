"""tf.contrib.metrics."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.metrics"
_COMPARED = ("predictions", "labels", "weights", "metrics_collections", "updates_collections")
# tf.metrics takes labels before predictions; the parameters have the same names in both.
_PARAMETERS = {
    "accuracy": (*_COMPARED, "name"),
    "auc": (
        "predictions",
        "labels",
        "weights",
        "num_thresholds",
        "metrics_collections",
        "updates_collections",
        "curve",
        "name",
    ),
    "false_negatives": (*_COMPARED, "name"),
    "false_positives": (*_COMPARED, "name"),
    "mean_absolute_error": (*_COMPARED, "name"),
    "mean_relative_error": (
        "predictions",
        "labels",
        "normalizer",
        "weights",
        "metrics_collections",
        "updates_collections",
        "name",
    ),
    "mean_squared_error": (*_COMPARED, "name"),
    "precision": (*_COMPARED, "name"),
    "recall": (*_COMPARED, "name"),
    "root_mean_squared_error": (*_COMPARED, "name"),
    "true_negatives": (*_COMPARED, "name"),
    "true_positives": (*_COMPARED, "name"),
}
NAMES: Mapping[str, Equivalent] = {
    f"streaming_{name}": Equivalent(f"metrics.{name}", parameters)
    for name, parameters in _PARAMETERS.items()
}
MISSING: Mapping[str, Missing] = {}
