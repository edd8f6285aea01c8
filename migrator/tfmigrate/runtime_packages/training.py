"""What tfmigrate_runtime.training has of tf.contrib.training."""

from __future__ import annotations

from tfmigrate.package import Package

PACKAGE = Package(
    "tensorflow.contrib.training",
    "tfmigrate_runtime.training",
    {
        "": frozenset(
            {
                "GreedyLoadBalancingStrategy",
                "HParams",
                "RandomStrategy",
                "byte_size_load_fn",
                "parse_values",
            }
        )
    },
)
