"""tf.contrib.metrics."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.metrics"
_COLLECTED = ("metrics_collections", "updates_collections")
_COMPARED = ("predictions", "labels", "weights", *_COLLECTED, "name")
_AT_THRESHOLDS = ("predictions", "labels", "thresholds", "weights")
_AT_K = ("predictions", "labels", "k", "class_id", "weights", *_COLLECTED, "name")
# tf.metrics takes labels before predictions; the parameters have the same names in both.
_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "accuracy": _COMPARED,
    "auc": ("predictions", "labels", "weights", "num_thresholds", *_COLLECTED, "curve", "name"),
    "false_negatives": _COMPARED,
    "false_negatives_at_thresholds": _AT_THRESHOLDS,
    "false_positives": _COMPARED,
    "false_positives_at_thresholds": _AT_THRESHOLDS,
    "mean": (),
    "mean_absolute_error": _COMPARED,
    "mean_cosine_distance": ("predictions", "labels", "dim", "weights", *_COLLECTED, "name"),
    "mean_iou": ("predictions", "labels", "num_classes", "weights", *_COLLECTED, "name"),
    "mean_relative_error": ("predictions", "labels", "normalizer", "weights", *_COLLECTED, "name"),
    "mean_squared_error": _COMPARED,
    "mean_tensor": (),
    "precision": _COMPARED,
    "precision_at_thresholds": (*_AT_THRESHOLDS, *_COLLECTED, "name"),
    "recall": _COMPARED,
    "recall_at_thresholds": (*_AT_THRESHOLDS, *_COLLECTED, "name"),
    "root_mean_squared_error": _COMPARED,
    "sensitivity_at_specificity": (
        *("predictions", "labels", "specificity", "weights", "num_thresholds"),
        *(*_COLLECTED, "name"),
    ),
    "specificity_at_sensitivity": (
        *("predictions", "labels", "sensitivity", "weights", "num_thresholds"),
        *(*_COLLECTED, "name"),
    ),
    "true_negatives": _COMPARED,
    "true_negatives_at_thresholds": _AT_THRESHOLDS,
    "true_positives": _COMPARED,
    "true_positives_at_thresholds": _AT_THRESHOLDS,
}
NAMES: Mapping[str, Equivalent] = {
    **{
        f"streaming_{name}": Equivalent(f"metrics.{name}", parameters)
        for name, parameters in _PARAMETERS.items()
    },
    # streaming_recall_at_k is none of these: it takes one label of each row.
    "streaming_percentage_less": Equivalent("metrics.percentage_below"),
    "streaming_sparse_average_precision_at_k": Equivalent(
        "metrics.average_precision_at_k",
        ("predictions", "labels", "k", "weights", *_COLLECTED, "name"),
    ),
    "streaming_sparse_precision_at_k": Equivalent("metrics.precision_at_k", _AT_K),
    "streaming_sparse_recall_at_k": Equivalent("metrics.recall_at_k", _AT_K),
    "confusion_matrix": Equivalent("confusion_matrix"),
    "set_difference": Equivalent("sets.difference"),
    "set_intersection": Equivalent("sets.intersection"),
    "set_size": Equivalent("sets.size"),
    "set_union": Equivalent("sets.union"),
}
MISSING: Mapping[str, Missing] = {}
