"""What tfmigrate_runtime.towers has, which replaces no package of TensorFlow 1.x."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "",
    "tfmigrate_runtime.towers",
    {"": frozenset({"central_storage_strategy", "run"})},
)
