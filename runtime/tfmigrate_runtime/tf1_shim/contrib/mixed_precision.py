"""tf.contrib.mixed_precision."""

from tfmigrate_runtime import mixed_precision

__all__ = [
    "ExponentialUpdateLossScaleManager",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaleOptimizer",
]

ExponentialUpdateLossScaleManager = mixed_precision.ExponentialUpdateLossScaleManager
FixedLossScaleManager = mixed_precision.FixedLossScaleManager
LossScaleManager = mixed_precision.LossScaleManager
LossScaleOptimizer = mixed_precision.LossScaleOptimizer
