"""Functions of tf.image that changed and kept their names, as TensorFlow 1.15 had them.

changed_functions.md lists what changed. The source of the meaning is
python/ops/image_ops_impl.py of TensorFlow 1.15.5.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow

__all__ = [
    "crop_to_bounding_box", "flip_left_right", "flip_up_down", "per_image_standardization",
    "random_flip_left_right", "random_flip_up_down", "rot90",
]  # fmt: skip
# TensorFlow 1.15 computed in these types, and converted others there and back.
_COMPUTED = (tf.float16, tf.float32)


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """Cuts a box out of images; positions and sizes may be int64 tensors too.

    Args:
        image: [batch, height, width, channels] or [height, width, channels].
        offset_height: where the box begins.
        offset_width: where the box begins.
        target_height: how high the box is.
        target_width: how wide the box is.

    Returns:
        The box, of the same rank.
    """
    box = (offset_height, offset_width, target_height, target_width)
    return tf.image.crop_to_bounding_box(image, *map(_as_int32, box))


def per_image_standardization(image: Any) -> Any:
    """Scales images to mean 0 and variance 1, and returns them in the type that they have.

    Values of integer types are cut off at the ends of their range, as they were.

    Args:
        image: [..., height, width, channels].
    """
    with tf.name_scope(None, "per_image_standardization", [image]):
        original = tf.convert_to_tensor(image, name="image")
        scaled = original
        if original.dtype not in _COMPUTED:
            scaled = tf.image.convert_image_dtype(original, tf.float32)
        if scaled.dtype == tf.float32:
            scaled = tf.image.per_image_standardization(scaled)
        else:
            mean, deviation = (
                function(scaled, axis=[-1, -2, -3], keepdims=True)
                for function in (tf.reduce_mean, tf.math.reduce_std)
            )
            count = tf.cast(tf.reduce_prod(tf.shape(scaled)[-3:]), scaled.dtype)
            scaled = (scaled - mean) / tf.maximum(deviation, tf.rsqrt(count))
        return tf.image.convert_image_dtype(scaled, original.dtype, saturate=True)


def _of_rank_3(name: str) -> Callable[..., Any]:
    """Returns a function of tf.image that takes an image of unknown rank for [h, w, channels].

    TensorFlow 2 decides in the graph, and what it returns has no static rank, which resizing needs.
    """
    function = getattr(tf.image, name)

    @wraps(function)
    def with_rank(image: Any, *arguments: Any, **named: Any) -> Any:
        tensor = tf.convert_to_tensor(image, name="image")
        if tensor.shape.ndims is None:
            tensor = tf.ensure_shape(tensor, [None, None, None])
        return function(tensor, *arguments, **named)

    return with_rank


flip_left_right = _of_rank_3("flip_left_right")
flip_up_down = _of_rank_3("flip_up_down")
random_flip_left_right = _of_rank_3("random_flip_left_right")
random_flip_up_down = _of_rank_3("random_flip_up_down")
rot90 = _of_rank_3("rot90")


def _as_int32(position: Any) -> Any:
    if isinstance(position, np.integer):
        return int(position)
    is_long = tf.is_tensor(position) and position.dtype == tf.int64
    return tf.cast(position, tf.int32) if is_long else position
