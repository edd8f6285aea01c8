"""tf.contrib.opt: names that the runtime does not have."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.opt"
NAMES: Mapping[str, Equivalent] = {}
_RARE = Missing(
    "it was experimental, and has no replacement",
    "use a different optimizer, or implement it as a tf.train.Optimizer",
)
_WORKERS = Missing(
    "it averaged the workers' own variables on parameter servers",
    "use tf.distribute, which keeps the workers' variables equal at every step",
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
        "it skipped gradients that are 0",
        "use tf.clip_by_global_norm, which computes the same norm",
    ),
}
