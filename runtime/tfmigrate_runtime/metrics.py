"""tf.contrib.metrics on TensorFlow 2: the metrics of tf_slim, and core metrics that it lacks.

``from tfmigrate_runtime import metrics`` instead of ``metrics = tf.contrib.metrics``. Metrics
here take predictions before labels, as they did; tf.metrics takes labels first.
"""

import importlib
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim

load_tf_slim()
_metrics = importlib.import_module("tf_slim.metrics")

# Aliases in tf.contrib.metrics (contrib/metrics/__init__.py).
confusion_matrix = tf.confusion_matrix
set_difference = tf.sets.difference
set_intersection = tf.sets.intersection
set_size = tf.sets.size
set_union = tf.sets.union

__all__ = ["confusion_matrix", "set_difference", "set_intersection", "set_size", "set_union"]
__all__ += [
    name
    for name in dir(_metrics)
    if getattr(getattr(_metrics, name), "__module__", "").startswith("tf_slim.metrics.")
]


def __getattr__(name: str) -> Any:
    """Returns a name of tf_slim.metrics.

    Raises:
        AttributeError: there is none.
    """
    if not name.startswith("__") and hasattr(_metrics, name):
        return getattr(_metrics, name)
    raise AttributeError(f"tfmigrate_runtime.metrics has no {name}")


def __dir__() -> list[str]:
    return sorted(__all__)
