"""What tfmigrate_runtime.opt has of tf.contrib.opt."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.opt",
    "tfmigrate_runtime.opt",
    {
        "": frozenset(
            {
                "AdaMaxOptimizer",
                "AdamWOptimizer",
                "DecoupledWeightDecayExtension",
                "ExternalOptimizerInterface",
                "LARSOptimizer",
                "LazyAdamOptimizer",
                "MomentumWOptimizer",
                "MovingAverageOptimizer",
                "NadamOptimizer",
                "ScipyOptimizerInterface",
                "extend_with_decoupled_weight_decay",
            }
        )
    },
)
