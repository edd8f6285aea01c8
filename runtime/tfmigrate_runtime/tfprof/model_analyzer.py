"""tf.contrib.tfprof.model_analyzer: the size of models, and the time that they need."""

from typing import Any

import tensorflow.compat.v1 as tf

_EVERYTHING: dict[str, Any] = {
    "max_depth": 10000, "min_bytes": 0, "min_micros": 0, "min_params": 0, "min_float_ops": 0,
    "order_by": "name", "account_type_regexes": [".*"], "start_name_regexes": [".*"],
    "trim_name_regexes": [], "show_name_regexes": [".*"], "hide_name_regexes": [],
    "account_displayed_op_only": True, "output": "stdout", "dump_to_file": "",
}  # fmt: skip
TRAINABLE_VARS_PARAMS_STAT_OPTIONS: dict[str, Any] = {
    **_EVERYTHING,
    "account_type_regexes": ["_trainable_variables"],
    "select": ["params"],
}
FLOAT_OPS_OPTIONS: dict[str, Any] = {
    **_EVERYTHING,
    "min_float_ops": 1,
    "order_by": "float_ops",
    "select": ["float_ops"],
}
PRINT_ALL_TIMING_MEMORY: dict[str, Any] = {
    **_EVERYTHING,
    "min_bytes": 1,
    "min_micros": 1,
    "select": ["micros", "bytes"],
}
# What the profiler takes for "all of its defaults".
_DEFAULTS = 0
Profiler = tf.profiler.Profiler

__all__ = [
    "FLOAT_OPS_OPTIONS", "PRINT_ALL_TIMING_MEMORY", "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "Profiler", "advise", "print_model_analysis",
]  # fmt: skip


def print_model_analysis(
    graph: tf.Graph,
    run_meta: Any = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Any = _DEFAULTS,
) -> Any:
    """Prints what a model has, and returns it: see tf.profiler.profile.

    Args:
        graph: the model's.
        run_meta: RunMetadata of a step, for time and memory.
        op_log: OpLogProto with more about operations.
        tfprof_cmd: by what to sort: "scope", "graph", "op" or "code".
        tfprof_options: what to print, one of this module's dictionaries or another.

    Returns:
        A GraphNodeProto ("scope", "graph") or MultiGraphNodeProto (total_parameters, ...).
    """
    return tf.profiler.profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)


def advise(graph: tf.Graph, run_meta: Any = None, tfprof_options: Any = _DEFAULTS) -> Any:
    """Prints what could make a model faster, and returns it: see tf.profiler.advise."""
    return tf.profiler.advise(graph, run_meta, tfprof_options)
