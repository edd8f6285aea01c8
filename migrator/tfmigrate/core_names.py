"""Names of tf.contrib that the core of TensorFlow has too, with the same meaning."""

from __future__ import annotations

import ast

from tfmigrate.module import Module, Use
from tfmigrate.runtime_api import LEARN

_FRAMEWORK = "tensorflow.contrib.framework"
# Each was an alias of the function in tf.train (contrib/framework/python/ops/variables.py).
_SAME = {
    f"{_FRAMEWORK}.{name}": f"train.{name}"
    for name in (
        "assert_global_step",
        "create_global_step",
        "get_global_step",
        "get_or_create_global_step",
    )
}
_STREAMING = "tensorflow.contrib.metrics.streaming_"
# The parameters have the same names in both, but not the same order.
_METRICS = (
    "accuracy",
    "auc",
    "false_negatives",
    "false_positives",
    "mean_absolute_error",
    "mean_relative_error",
    "mean_squared_error",
    "precision",
    "recall",
    "root_mean_squared_error",
    "true_negatives",
    "true_positives",
)


def core_name(module: Module, use: Use) -> str | None:
    """Returns what a contrib name is called in the core, below ``tf.``; None where it is not there.

    A streaming metric is that of ``tf.metrics`` where it is called by names: by a MetricSpec, or
    with keywords only.
    """
    if use.qualified in _SAME:
        return _SAME[use.qualified]
    metric = use.qualified.removeprefix(_STREAMING)
    if metric == use.qualified or metric not in _METRICS:
        return None
    return f"metrics.{metric}" if _is_called_by_names(module, use.node) else None


def _is_called_by_names(module: Module, node: ast.expr) -> bool:
    parent = module.parent(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return not parent.args and all(keyword.arg for keyword in parent.keywords)
    if isinstance(parent, ast.keyword):
        is_metric = parent.arg == "metric_fn"
        parent = module.parent(parent)
    else:
        is_metric = isinstance(parent, ast.Call) and parent.args[:1] == [node]
    return (
        is_metric
        and isinstance(parent, ast.Call)
        and module.resolve(parent.func) == f"{LEARN.source}.MetricSpec"
    )
