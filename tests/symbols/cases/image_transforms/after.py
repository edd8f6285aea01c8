"""Rotations and other transforms of images, as augmentation has them."""

import numpy as np
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import image

tf.disable_v2_behavior()

images = tf.constant(np.arange(2 * 5 * 6 * 3, dtype=np.float32).reshape(2, 5, 6, 3))
turned = image.angles_to_projective_transforms(0.3, 5.0, 6.0)
moved = image.translations_to_projective_transforms([1.0, -2.0])
found = {
    "rotated": image.rotate(images, [0.4, -1.1]),
    "bilinear": image.rotate(images, 0.7, interpolation="BILINEAR"),
    "image": image.rotate(images[0], 3.1),
    "plane": image.rotate(tf.cast(images[0, :, :, 0], tf.uint8), 1.5),
    "transformed": image.transform(
        images, [1.1, 0.1, 0.5, 0.0, 0.9, 0.2, 0.01, 0.0], "BILINEAR"
    ),
    "translated": image.translate(images, [[1.0, 2.0], [0.0, -1.0]]),
    "composed": image.compose_transforms(turned, moved),
}
with tf.Session() as session:
    result = session.run(found)
