"""What tfmigrate_runtime.distributions has of tf.contrib.distributions."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.distributions",
    "tfmigrate_runtime.distributions",
    {"": frozenset({"MultivariateNormalDiag", "MultivariateNormalDiagWithSoftplusScale"})},
)
