"""What tfmigrate_runtime.mixed_precision has of tf.contrib.mixed_precision."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.mixed_precision",
    "tfmigrate_runtime.mixed_precision",
    {
        "": frozenset(
            {
                "ExponentialUpdateLossScaleManager",
                "FixedLossScaleManager",
                "LossScaleManager",
                "LossScaleOptimizer",
            }
        )
    },
)
