"""The optimizers of tf.estimator's canned models in tfmigrate_runtime.optimizers."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.python.estimator.canned.optimizers",
    "tfmigrate_runtime.optimizers",
    {"": frozenset({"get_optimizer_instance"})},
)
