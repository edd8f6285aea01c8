"""What tfmigrate_runtime.arrays has: functions of NumPy as they were before 1.24."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package("", "tfmigrate_runtime.arrays", {"": frozenset({"array", "asarray"})})
