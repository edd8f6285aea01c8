"""Input functions from arrays in memory (``tf.estimator.inputs``)."""

from collections.abc import Callable, Mapping, Sequence
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

    The tensors of a batch are returned, as they were: (features, labels), or features where y is
    None. Batches run across the end of an epoch, as the queue of TensorFlow 1.x did: only the last
    batch of all may be smaller.

    Args:
        x: array [examples, ...], or arrays by name.
        y: labels as x, or None.
        batch_size: examples in a batch.
        num_epochs: how often all examples are fed, None for without end.
        shuffle: whether examples are drawn in random order. Must be given.
        queue_capacity: size of the buffer that examples are drawn from at random.
        num_threads: kept for compatibility; order does not depend on threads.

    Returns:
        The input function.

    Raises:
        ValueError: shuffle is not given, x is empty, x and y have a name in common, or the arrays
            differ in length.
        TypeError: x is neither an array nor a dict.
    """
    _check_shuffle(shuffle)
    if not isinstance(x, (np.ndarray, Mapping)):
        raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
    if isinstance(x, Mapping) and not x:
        raise ValueError("x cannot be an empty dict")
    if isinstance(x, np.ndarray) and not x.size:
        raise ValueError("x cannot be an empty array")
    if isinstance(y, Mapping) and not y:
        raise ValueError("y cannot be empty dict, use None instead.")
    if isinstance(x, Mapping) and isinstance(y, Mapping) and (both := sorted(x.keys() & y.keys())):
        raise ValueError(f"{len(both)} duplicate keys are found in both x and y: {both}")
    del num_threads
    return _input_fn(x, y, batch_size, num_epochs, bool(shuffle), queue_capacity)


def _check_shuffle(shuffle: Any) -> None:
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set "
            f"it as True for training); got {shuffle}"
        )


def _input_fn(
    x: Any, y: Any, batch_size: int, num_epochs: int | None, shuffle: bool, queue_capacity: int
) -> Callable[[], Any]:
    """Returns the input function of arrays, or arrays by name; see ``numpy_input_fn``.

    Raises:
        ValueError: the arrays differ in length.
    """
    arrays = _arrays(x) + _arrays(y)
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        raise ValueError(f"Length of tensors in x and y is mismatched: {sorted(lengths)}")
    examples = lengths.pop()

    def rows(indices: Any) -> list[Any]:
        return [array[indices] for array in arrays]

    def batch_of(indices: Any) -> list[Any]:
        # The arrays stay out of the graph: it is part of every checkpoint, and may have 2 GB.
        tensors = tf.numpy_function(rows, [indices], [array.dtype for array in arrays])
        for tensor, array in zip(tensors, arrays, strict=True):
            tensor.set_shape([indices.shape[0], *array.shape[1:]])
        return list(tensors)

    def input_fn() -> Any:
        if shuffle:
            dataset = _shuffled_rows(examples, queue_capacity, num_epochs)
        else:
            dataset = tf.data.Dataset.range(examples).repeat(num_epochs)
        dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None)
        dataset = dataset.map(lambda indices: tuple(batch_of(indices))).prefetch(1)
        batch = tf.data.make_one_shot_iterator(dataset).get_next()
        features = _like(x, batch[: len(_arrays(x))])
        return features if y is None else (features, _like(y, batch[len(_arrays(x)) :]))

    return input_fn


def _shuffled_rows(examples: int, queue_capacity: int, num_epochs: int | None) -> Any:
    """Returns a dataset of the numbers of rows, int64, in random order; verify gives it one."""
    return tf.data.Dataset.range(examples).shuffle(max(queue_capacity, 1)).repeat(num_epochs)


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int | None = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Returns an input function that feeds a pandas DataFrame (``tf.estimator.inputs``).

    Args:
        x: a DataFrame; every column is a feature.
        y: a Series, or a DataFrame for labels by name, with the index of x; or None. Its columns
            may have names that x has, too.
        batch_size: examples in a batch.
        num_epochs: how often all examples are fed, None for without end.
        shuffle: whether examples are drawn in random order. Must be given.
        queue_capacity: size of the buffer that examples are drawn from at random; None for one of
            all examples.
        num_threads: kept for compatibility; order does not depend on threads.
        target_column: a name for the labels, which no column may have.

    Returns:
        The input function.

    Raises:
        ValueError: shuffle is not given, x has a column named target_column, or the indices of x
            and y differ.
        TypeError: x is not a DataFrame, or target_column not a string.
    """
    if not hasattr(x, "columns") or not hasattr(x, "index"):
        raise TypeError(f"x must be a pandas DataFrame; got {type(x).__name__}")
    _check_shuffle(shuffle)
    if not isinstance(target_column, str):
        raise TypeError("target_column must be a string type")
    features = {name: x[name].to_numpy() for name in x.columns}
    labels = None
    if y is not None:
        if target_column in x:
            raise ValueError(
                f"Cannot use name {target_column} for target column: DataFrame already has a "
                f"column with that name: {x.columns}"
            )
        if not np.array_equal(x.index, y.index):
            raise ValueError(
                f"Index for x and y are mismatched.\nIndex for x: {x.index}\nIndex for y: {y.index}"
            )
        by_name = hasattr(y, "columns")
        labels = {name: y[name].to_numpy() for name in y.columns} if by_name else y.to_numpy()
    if queue_capacity is None:
        queue_capacity = 4 * len(x)
    del num_threads
    return _input_fn(features, labels, batch_size, num_epochs, bool(shuffle), queue_capacity)


def _arrays(value: Any) -> list[Any]:
    if value is None:
        return []
    values = list(value.values()) if isinstance(value, Mapping) else [value]
    return [_array(array) for array in values]


def _array(value: Any) -> Any:
    """Returns an array; objects, which is how pandas has strings, become strings."""
    array = np.asarray(value)
    return array.astype(str) if array.dtype == object else array


def _like(value: Any, tensors: Sequence[Any]) -> Any:
    if isinstance(value, Mapping):
        return dict(zip(value, tensors, strict=True))
    return tensors[0]
