"""What tfmigrate_runtime.optimizers has of the optimizers of tf.estimator's ready-made models."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.python.estimator.canned.optimizers",
    "tfmigrate_runtime.optimizers",
    {"": frozenset({"get_optimizer_instance"})},
)
