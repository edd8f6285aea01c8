"""Input from arrays in memory: what contrib.learn's Estimators did with ``x`` and ``y``.

The rows have contrib.learn's order, so that a migrated program trains on the same batches: tf.data
shuffles differently.
"""

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.columns.feature_inputs import infer_real_valued_columns

_SEED = 42  # that of contrib.learn's DataFeeder, whatever the seed of the graph is


def array_input_fn(
    x: Any, y: Any, batch_size: int | None, shuffle: bool = False, epochs: int | None = 1
) -> Callable[[], Any]:
    """Returns an input function that gives batches of arrays, in contrib.learn's order.

    The last batch of an epoch has the rows that are left. Rows of one number become [1], labels of
    shape [1] become a number, as contrib.learn had them.

    Args:
        x: array [rows, ...] or pandas DataFrame, or arrays by name.
        y: labels as x, a list or None.
        batch_size: rows of a batch, None for all.
        shuffle: whether every epoch has another order, the same one in each run.
        epochs: how often all rows are given, None for without end.

    Raises:
        ValueError: batch_size is not positive, or there are no rows.
        TypeError: x or y is an iterator, which contrib.learn took row by row.
    """
    features, labels = _map(_rows, x.to_numpy(dtype=float) if hasattr(x, "columns") else x), None
    if y is not None:
        labels = _map(_labels, y)
    count = len(next(iter(features.values())) if isinstance(features, dict) else features)
    size = count if batch_size is None else batch_size
    if size <= 0:
        raise ValueError(f"Invalid batch_size {size}.")

    def batches() -> Iterator[Any]:
        random = np.random.RandomState(_SEED)
        done = 0
        while epochs is None or done < epochs:
            order = random.permutation(count) if shuffle else np.arange(count)
            for start in range(0, count, size):
                take = operator.itemgetter(order[start : start + size])
                batch = _map(take, features)
                yield batch if labels is None else (batch, _map(take, labels))
            done += 1

    def input_fn() -> Any:
        kinds = _map(_kind, features)
        if labels is not None:
            kinds = (kinds, _map(_kind, labels))
        return tf.data.Dataset.from_generator(batches, output_signature=kinds)

    return input_fn


def infer_real_valued_columns_from_input(x: Any) -> Any:
    """Returns real-valued columns for arrays, as :func:`array_input_fn` has them.

    Raises:
        ValueError: x holds no numbers.
    """
    features = _map(_rows, x.to_numpy(dtype=float) if hasattr(x, "columns") else x)
    return infer_real_valued_columns(_map(_kind, features))


def _map(function: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, dict):
        return {name: function(array) for name, array in value.items()}
    return function(value)


def _array(value: Any) -> Any:
    if hasattr(value, "__next__"):
        raise TypeError(
            "x and y must be arrays; for an iterator, pass an input_fn that returns "
            "a tf.data.Dataset"
        )
    array = np.asarray(value)
    return array.astype(str) if array.dtype == object else array


def _rows(value: Any) -> Any:
    array = _array(value)
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _labels(value: Any) -> Any:
    array = _array(value)
    return array[:, 0] if array.ndim > 1 and array.shape[1] == 1 else array


def _kind(array: Any) -> Any:
    return tf.TensorSpec([None, *array.shape[1:]], tf.as_dtype(array.dtype))
