"""What tfmigrate_runtime.staging has of tf.contrib.staging."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.staging",
    "tfmigrate_runtime.staging",
    {
        "": frozenset(
            {
                "StagingArea",
            }
        )
    },
)
