"""Functions of tf.contrib.data that tf.data.experimental lacks.

The functions that return functions are for ``tf.data.Dataset.apply``. Their meaning is that of
tf.contrib.data in TensorFlow 1.15 (contrib/data/python/ops).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow

__all__ = [
    "PrivateThreadPool", "assert_element_shape", "batch_and_drop_remainder", "override_threadpool",
    "padded_batch_and_drop_remainder", "read_batch_features", "reduce_dataset",
    "sliding_window_batch", "sloppy_interleave",
]  # fmt: skip

Transformation = Callable[[Any], Any]


class PrivateThreadPool:
    """The threads that a dataset is to use for itself.

    Args:
        num_threads: how many.
        display_name: ignored; the threads are the dataset's.
        max_intra_op_parallelism: how many of them one operation may use.
    """

    def __init__(
        self, num_threads: int, display_name: str | None = None, max_intra_op_parallelism: int = 1
    ) -> None:
        self.options = tf.data.Options()
        self.options.threading.private_threadpool_size = num_threads
        self.options.threading.max_intra_op_parallelism = max_intra_op_parallelism


def override_threadpool(dataset: Any, thread_pool: PrivateThreadPool) -> Any:
    """Returns a dataset of the same elements, which uses the threads of a pool to compute them."""
    return dataset.with_options(thread_pool.options)


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Makes batches of elements; what is left at the end is dropped.

    Args:
        batch_size: int64 [], or a number; a number makes the batch's size known statically.

    Returns:
        A function of the dataset.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Transformation:
    """Makes padded batches of elements; what is left at the end is dropped.

    Args:
        batch_size: int64 [], or a number; a number makes the batch's size known statically.
        padded_shapes: the shapes to pad to, in the elements' structure.
        padding_values: what to pad with, in the same structure; 0 or "" by default.

    Returns:
        A function of the dataset.
    """
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def sloppy_interleave(
    map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1
) -> Transformation:
    """Interleaves datasets made of the elements, in whatever order they have their data.

    Args:
        map_func: returns the dataset of an element.
        cycle_length: int64 [], of how many elements at a time.
        block_length: int64 [], how many are taken from one in a row.

    Returns:
        A function of the dataset. The order is not deterministic, as it was not.
    """
    transformation: Transformation = tf.data.experimental.parallel_interleave(
        map_func, cycle_length, block_length, sloppy=True
    )
    return transformation


def sliding_window_batch(
    window_size: Any, stride: Any = None, window_shift: Any = None, window_stride: Any = 1
) -> Transformation:
    """Makes a batch of every window over the dataset; a last one that is not full is dropped.

    Args:
        window_size: int64 [], how many elements a window has.
        stride: the old name of window_shift.
        window_shift: int64 [], by how many elements a window starts after the one before, 1 by
            default.
        window_stride: int64 [], how many elements apart those of a window are.

    Returns:
        A function of the dataset.

    Raises:
        ValueError: both stride and window_shift are given.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = stride if window_shift is None else window_shift

    def apply(dataset: Any) -> Any:
        # Dataset.window() would need its nested datasets zipped, one way for each structure.
        elements = tf.data.experimental.get_structure(dataset)
        batched = tf.nest.map_structure(lambda spec: spec._batch(None), elements)
        variant = tf.raw_ops.SlidingWindowDataset(
            input_dataset=tf.data.experimental.to_variant(dataset),
            window_size=tf.cast(window_size, tf.int64),
            window_shift=tf.cast(1 if shift is None else shift, tf.int64),
            window_stride=tf.cast(window_stride, tf.int64),
            output_types=[spec.dtype for spec in tf.nest.flatten(batched)],
            output_shapes=[spec.shape for spec in tf.nest.flatten(batched)],
        )
        # A dataset of compat.v1 again: it has make_one_shot_iterator().
        return tf.data.experimental.from_variant(variant, batched).apply(_of_version_1)

    return apply


def _of_version_1(dataset: Any) -> Any:
    return tf.data.Dataset.zip((dataset,)).map(lambda element: element)


def assert_element_shape(expected_shapes: Any) -> Transformation:
    """Checks the shapes of the elements: now where they are known, else when they are read.

    Args:
        expected_shapes: tf.TensorShape in the elements' structure; unknown sizes are not checked.

    Returns:
        A function of the dataset, whose static shapes are those of both together. It raises
        ValueError where they contradict each other; reading raises InvalidArgumentError.
    """

    def check(*elements: Any) -> Any:
        element = elements[0] if len(elements) == 1 else elements
        return tf.nest.map_structure(tf.ensure_shape, element, expected_shapes)

    return lambda dataset: dataset.map(check)


def reduce_dataset(dataset: Any, reducer: Any) -> Any:
    """Reduces a dataset to one value.

    Args:
        dataset: a tf.data.Dataset.
        reducer: a tf.data.experimental.Reducer; its init_func is given 0, and its finalize_func is
            not called, as in TensorFlow 1.15 (contrib/data/python/ops/get_single_element.py).

    Returns:
        Tensors, in the structure of the reducer's state.

    Raises:
        TypeError: it is not a dataset.
    """
    if not isinstance(dataset, tf.data.Dataset):
        raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
    return dataset.reduce(reducer.init_func(np.int64(0)), reducer.reduce_func)


def read_batch_features(
    file_pattern: Any,
    batch_size: int,
    features: Any,
    reader: Any = tf.data.TFRecordDataset,
    reader_args: Any = None,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    capacity: int = 10000,
) -> Any:
    """Reads batches of Examples from files, parsed.

    Args:
        file_pattern: the files, a pattern or several.
        batch_size: how many Examples a batch has.
        features: how to parse them, as for tf.parse_example.
        reader: makes a dataset of serialized Examples of a file name.
        reader_args: what else the reader is given.
        randomize_input: whether files and Examples are shuffled.
        num_epochs: how often the files are read, forever by default.
        capacity: the size of the shuffle buffer.

    Returns:
        The next batch: tensors by the name of the feature.
    """
    dataset = tf.data.experimental.make_batched_features_dataset(
        file_pattern,
        batch_size,
        features,
        reader=reader,
        reader_args=reader_args,
        shuffle=randomize_input,
        num_epochs=num_epochs,
        shuffle_buffer_size=capacity,
    )
    return tf.data.make_one_shot_iterator(dataset).get_next()
