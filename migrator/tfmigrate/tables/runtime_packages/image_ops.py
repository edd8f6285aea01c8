"""What tfmigrate_runtime.image_ops has: functions of tf.image as TensorFlow 1.15 had them."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "",
    "tfmigrate_runtime.image_ops",
    {
        "": frozenset(
            {
                "crop_to_bounding_box",
                "flip_left_right",
                "flip_up_down",
                "per_image_standardization",
                "random_flip_left_right",
                "random_flip_up_down",
                "rot90",
            }
        )
    },
)
