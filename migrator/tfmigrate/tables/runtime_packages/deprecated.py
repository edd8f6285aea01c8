"""What tfmigrate_runtime.deprecated has of tf.contrib.deprecated."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.deprecated",
    "tfmigrate_runtime.deprecated",
    {
        "": frozenset(
            {
                "audio_summary",
                "histogram_summary",
                "image_summary",
                "scalar_summary",
            }
        )
    },
)
