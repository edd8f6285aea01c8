"""What tfmigrate_runtime.image has of tf.contrib.image."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.image",
    "tfmigrate_runtime.image",
    {
        "": frozenset(
            {
                "angles_to_projective_transforms",
                "compose_transforms",
                "dense_image_warp",
                "flat_transforms_to_matrices",
                "matrices_to_flat_transforms",
                "rotate",
                "transform",
                "translate",
                "translations_to_projective_transforms",
            }
        )
    },
)
