"""tf.contrib.image on TensorFlow 2: rotations, other projective transforms, and warps of images.

The source of the meaning is contrib/image/python/ops of TensorFlow 1.15: image_ops.py, and
dense_image_warp.py, where an image is read between its pixels.
"""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow

__all__ = [
    "angles_to_projective_transforms", "compose_transforms", "dense_image_warp",
    "flat_transforms_to_matrices", "matrices_to_flat_transforms", "rotate", "transform",
    "translate", "translations_to_projective_transforms",
]  # fmt: skip


def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Applies projective transforms.

    Args:
        images: [batch_size, height, width, channels], [height, width, channels] or [height, width].
        transforms: float32 [batch_size, 8], [1, 8] or [8]: a0, a1, a2, b0, b1, b2, c0, c1, by
            which the output's (x, y) is taken from ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) /
            k) with k = c0 x + c1 y + 1.
        interpolation: "NEAREST" or "BILINEAR".
        output_shape: height and width of the result, those of the images by default.
        name: of the scope.

    Returns:
        Images of the same rank; 0 where there is nothing to take.

    Raises:
        TypeError: images or transforms have another rank.
    """
    with tf.name_scope(name, "transform"):
        original = tf.convert_to_tensor(images, name="images")
        batch = _batch(original)
        matrices = tf.convert_to_tensor(transforms, tf.float32, name="transforms")
        if matrices.shape.ndims not in (1, 2):
            raise TypeError("Transforms should have rank 1 or 2.")
        if matrices.shape.ndims == 1:
            matrices = matrices[None]
        size = tf.shape(batch)[1:3] if output_shape is None else output_shape
        result = tf.raw_ops.ImageProjectiveTransformV2(
            images=batch,
            transforms=matrices,
            output_shape=tf.cast(size, tf.int32),
            interpolation=interpolation.upper(),
        )
        known = tf.get_static_value(tf.convert_to_tensor(size))
        space = batch.shape.as_list()[1:3] if output_shape is None else known
        shape = batch.shape.as_list()
        result.set_shape([shape[0], *([None, None] if space is None else space), shape[3]])
        return _as_given(result, original)


def rotate(
    images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Any:
    """Rotates images about their centres, counterclockwise.

    Args:
        images: [batch_size, height, width, channels], [height, width, channels] or [height, width].
        angles: in radians, float32 [] or [batch_size].
        interpolation: "NEAREST" or "BILINEAR".
        name: of the scope.

    Returns:
        Images of the same shape.

    Raises:
        TypeError: images or angles have another rank.
    """
    with tf.name_scope(name, "rotate"):
        original = tf.convert_to_tensor(images)
        batch = _batch(original)
        size = tf.cast(tf.shape(batch), tf.float32)
        transforms = angles_to_projective_transforms(angles, size[1][None], size[2][None])
        return _as_given(transform(batch, transforms, interpolation), original)


def translate(
    images: Any, translations: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Any:
    """Moves images.

    Args:
        images: as for ``transform``.
        translations: by how much, (dx, dy), float32 [2] or [batch_size, 2].
        interpolation: "NEAREST" or "BILINEAR".
        name: of the scope.

    Returns:
        Images of the same shape.
    """
    with tf.name_scope(name, "translate"):
        transforms = translations_to_projective_transforms(translations)
        return transform(images, transforms, interpolation)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: str | None = None
) -> Any:
    """Returns the transforms, [n, 8], that rotate by angles: [] or [n], in radians.

    Raises:
        TypeError: the angles have another rank.
    """
    with tf.name_scope(name, "angles_to_projective_transforms"):
        angles = tf.convert_to_tensor(angles, tf.float32, name="angles")
        if angles.shape.ndims not in (0, 1):
            raise TypeError("Angles should have rank 0 or 1.")
        angles = angles[None] if angles.shape.ndims == 0 else angles
        width, height = image_width - 1, image_height - 1
        cosine, sine = tf.cos(angles), tf.sin(angles)
        x = (width - (cosine * width - sine * height)) / 2.0
        y = (height - (sine * width + cosine * height)) / 2.0
        zeros = tf.zeros((tf.shape(angles)[0], 2), tf.float32)
        rows = (cosine, -sine, x, sine, cosine, y)
        return tf.concat([*(row[:, None] for row in rows), zeros], 1)


def translations_to_projective_transforms(translations: Any, name: str | None = None) -> Any:
    """Returns the transforms, [n, 8], that move by (dx, dy): [2] or [n, 2].

    Raises:
        TypeError: the translations have another rank.
    """
    with tf.name_scope(name, "translations_to_projective_transforms"):
        moves = tf.convert_to_tensor(translations, tf.float32, name="translations")
        if moves.shape.ndims not in (1, 2):
            raise TypeError("Translations should have rank 1 or 2.")
        moves = moves[None] if moves.shape.ndims == 1 else moves
        ones, zeros = tf.ones_like(moves[:, :1]), tf.zeros_like(moves[:, :1])
        x, y = -moves[:, :1], -moves[:, 1:]
        return tf.concat([ones, zeros, x, zeros, ones, y, zeros, zeros], 1)


def compose_transforms(*transforms: Any) -> Any:
    """Returns the transforms, [n, 8], that apply several, each [n, 8], [1, 8] or [8], in a row."""
    with tf.name_scope("compose_transforms"):
        composed = flat_transforms_to_matrices(transforms[0])
        for other in transforms[1:]:
            composed = tf.matmul(composed, flat_transforms_to_matrices(other))
        return matrices_to_flat_transforms(composed)


def flat_transforms_to_matrices(transforms: Any) -> Any:
    """Returns matrices, [n, 3, 3], of transforms, [n, 8]."""
    flat = tf.reshape(tf.convert_to_tensor(transforms, tf.float32), [-1, 8])
    return tf.reshape(tf.concat([flat, tf.ones_like(flat[:, :1])], 1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: Any) -> Any:
    """Returns transforms, [n, 8], of matrices, [n, 3, 3]."""
    flat = tf.reshape(transform_matrices, [-1, 9])
    return (flat / flat[:, 8:])[:, :8]


def _batch(images: Any) -> Any:
    """Returns images as [batch_size, height, width, channels]."""
    if (rank := images.shape.ndims) == 2:
        return images[None, :, :, None]
    if rank == 3:
        return images[None]
    if rank == 4:
        return images
    raise TypeError("Images should have rank between 2 and 4.")


def _as_given(batch: Any, image: Any) -> Any:
    """Returns images of [batch_size, height, width, channels] in the rank they came with."""
    rank = image.shape.ndims
    return batch[0, :, :, 0] if rank == 2 else batch[0] if rank == 3 else batch


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> tf.Tensor:
    """Moves the pixels of images by a flow.

    Args:
        image: [batch, height, width, channels], at least two pixels high and wide.
        flow: [batch, height, width, 2]: pixel (y, x) of the result is read at (y, x) less this, at
            the border where that is outside.
        name: the name scope.
    """
    with tf.name_scope(name):
        batch, height, width, channels = (tf.shape(image)[index] for index in range(4))
        across, down = tf.meshgrid(tf.range(width), tf.range(height))
        pixels = tf.cast(tf.stack([down, across], axis=2), flow.dtype)
        points = tf.reshape(tf.expand_dims(pixels, 0) - flow, [batch, height * width, 2])
        return tf.reshape(_between_pixels(image, points), [batch, height, width, channels])


def _between_pixels(image: Any, points: tf.Tensor) -> tf.Tensor:
    """Returns the values of images at points [batch, number, 2] of them, read bilinearly."""
    with tf.name_scope("interpolate_bilinear"):
        image = tf.convert_to_tensor(image)
        if image.shape.rank != 4:
            raise ValueError(f"an image has 4 dimensions, not those of {image.shape}")
        batch, height, width, channels = (tf.shape(image)[index] for index in range(4))
        large_enough = [tf.assert_greater_equal(size, 2) for size in (height, width)]
        with tf.control_dependencies(large_enough):
            below, parts = [], []
            for size, place in zip((height, width), tf.unstack(points, axis=2), strict=True):
                floor = tf.maximum(tf.constant(0.0, points.dtype), tf.floor(place))
                floor = tf.minimum(floor, tf.cast(size - 2, points.dtype))
                below.append(tf.cast(floor, tf.int32))
                part = tf.cast(place - floor, image.dtype)
                one, none = tf.constant(1.0, image.dtype), tf.constant(0.0, image.dtype)
                parts.append(tf.expand_dims(tf.minimum(tf.maximum(none, part), one), 2))
        pixels = tf.reshape(image, [batch * height * width, channels])
        first = tf.reshape(tf.range(batch) * height * width, [batch, 1])

        def read(y: int, x: int) -> tf.Tensor:
            return tf.gather(pixels, first + (below[0] + y) * width + below[1] + x)

        top = parts[1] * (read(0, 1) - read(0, 0)) + read(0, 0)
        bottom = parts[1] * (read(1, 1) - read(1, 0)) + read(1, 0)
        return parts[0] * (bottom - top) + top
