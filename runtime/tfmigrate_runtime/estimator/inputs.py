"""Input functions from arrays in memory (``tf.estimator.inputs``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Returns an input function that feeds arrays (``tf.estimator.inputs.numpy_input_fn``).

    Batches run across the end of an epoch, as the queue of TensorFlow 1.x did: only the last batch
    of all may be smaller.

    Args:
        x: array [examples, ...], or arrays by name.
        y: labels as x, or None.
        batch_size: examples in a batch.
        num_epochs: how often all examples are fed, None for without end.
        shuffle: whether examples are drawn in random order. Must be given.
        queue_capacity: size of the buffer that examples are drawn from at random.
        num_threads: kept for compatibility; order does not depend on threads.

    Raises:
        ValueError: shuffle is not given, x is empty, or the arrays differ in length.
        TypeError: x is neither an array nor a dict.
    """
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set "
            f"it as True for training); got {shuffle}"
        )
    if not isinstance(x, (np.ndarray, Mapping)):
        raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
    if isinstance(x, Mapping) and not x:
        raise ValueError("x cannot be an empty dict")
    if isinstance(y, Mapping) and not y:
        raise ValueError("y cannot be empty dict, use None instead.")
    lengths = {len(array) for array in _arrays(x) + _arrays(y)}
    if len(lengths) > 1:
        raise ValueError(f"Length of tensors in x and y is mismatched: {sorted(lengths)}")
    del num_threads

    def input_fn() -> Any:
        dataset = tf.data.Dataset.from_tensor_slices(x if y is None else (x, y))
        if shuffle:
            dataset = dataset.shuffle(max(queue_capacity, 1))
        return dataset.repeat(num_epochs).batch(batch_size)

    return input_fn


def _arrays(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value.values()) if isinstance(value, Mapping) else [value]
