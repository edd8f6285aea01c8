"""tf.contrib.image: what needs no kernel of its own."""

from __future__ import annotations

from tfmigrate_runtime import image

__all__ = [
    "angles_to_projective_transforms",
    "compose_transforms",
    "dense_image_warp",
    "flat_transforms_to_matrices",
    "matrices_to_flat_transforms",
    "rotate",
    "transform",
    "translate",
    "translations_to_projective_transforms",
]

angles_to_projective_transforms = image.angles_to_projective_transforms
compose_transforms = image.compose_transforms
dense_image_warp = image.dense_image_warp
flat_transforms_to_matrices = image.flat_transforms_to_matrices
matrices_to_flat_transforms = image.matrices_to_flat_transforms
rotate = image.rotate
transform = image.transform
translate = image.translate
translations_to_projective_transforms = image.translations_to_projective_transforms
