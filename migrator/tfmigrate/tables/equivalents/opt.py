"""tf.contrib.opt: what the runtime has not of it."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.opt"
NAMES: Mapping[str, Equivalent] = {}
_RARE = Missing(
    "it was experimental, and has no successor",
    "use another optimizer, or write it as a tf.train.Optimizer",
)
_WORKERS = Missing(
    "it averaged workers by variables of their own on parameter servers",
    "use tf.distribute, which keeps workers alike at every step",
)
MISSING: Mapping[str, Missing] = {
    **dict.fromkeys(
        (
            "AdamGSOptimizer",
            "AddSignOptimizer",
            "GGTOptimizer",
            "LazyAdamGSOptimizer",
            "MultitaskOptimizerWrapper",
            "PowerSignOptimizer",
            "RegAdagradOptimizer",
            "ShampooOptimizer",
            "VariableClippingOptimizer",
        ),
        _RARE,
    ),
    **dict.fromkeys(
        (
            "AGNCustomGetter",
            "AGNOptimizer",
            "DropStaleGradientOptimizer",
            "ElasticAverageCustomGetter",
            "ElasticAverageOptimizer",
            "ModelAverageCustomGetter",
            "ModelAverageOptimizer",
        ),
        _WORKERS,
    ),
    "clip_gradients_by_global_norm": Missing(
        "it left out gradients that are 0", "use tf.clip_by_global_norm, whose norm is the same"
    ),
}
