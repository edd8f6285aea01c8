"""Batches of arrays, fed to placeholders: the x and y of Estimators of contrib.learn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.tf1_shim.not_emulated import not_emulated

_SHUFFLE_SEED = 42  # tf.contrib.learn's DataFeeder


class ArrayFeeder:
    """Feeds batches of x and y: arrays, or dicts of arrays, with examples in the first axis."""

    def __init__(
        self, x: Any, y: Any, batch_size: int | None, shuffle: bool, epochs: int | None
    ) -> None:
        """Takes the arrays.

        Args:
            x: features. Those of shape [examples] are fed as [batch, 1].
            y: labels or None. A second axis of size 1 is dropped.
            batch_size: None for all examples.
            shuffle: whether each epoch has a different order of examples, always the same ones.
            epochs: None for no end.

        Raises:
            ValueError: batch_size is not positive.
        """
        self._x, self._y = _arrays(x), _arrays(y)
        self._examples = len(next(iter(self._x.values())) if isinstance(x, dict) else self._x)
        if batch_size is not None and batch_size <= 0:
            raise ValueError(f"Invalid batch_size {batch_size}.")
        self._batch_size = batch_size or self._examples
        self._random = np.random.RandomState(_SHUFFLE_SEED) if shuffle else None
        self._epochs = epochs
        self._epoch = self._offset = 0
        self._order = self._new_order()
        self._placeholders: Any = None

    def input_fn(self) -> Any:
        """Returns placeholders for features and labels."""
        features = _mapped(self._x, lambda array: [None, *(array.shape[1:] or (1,))], "input")
        labels = _mapped(self._y, lambda array: [None, *_label_shape(array)], "output")
        self._placeholders = (features, labels)
        return features, labels

    def feed(self) -> dict[Any, Any]:
        """Returns the next batch by placeholder.

        Raises:
            StopIteration: the epochs are over.
        """
        if self._epochs is not None and self._epoch >= self._epochs:
            raise StopIteration
        rows = self._order[self._offset : self._offset + self._batch_size]
        self._offset += self._batch_size
        if self._offset >= self._examples:
            self._order, self._offset = self._new_order(), 0
            self._epoch += 1
        features, labels = self._placeholders
        fed = {}
        for placeholder, array in _pairs(features, self._x):
            fed[placeholder] = array[rows].reshape(len(rows), *(array.shape[1:] or (1,)))
        for placeholder, array in _pairs(labels, self._y):
            fed[placeholder] = array[rows].reshape(len(rows), *_label_shape(array))
        return fed

    def _new_order(self) -> Any:
        if self._random is None:
            return np.arange(self._examples)
        return self._random.permutation(self._examples)


def input_and_feed(
    x: Any, y: Any, batch_size: int | None, shuffle: bool = False, epochs: int | None = 1
) -> tuple[Any, Any]:
    """Returns an input function of arrays, and the function that feeds it.

    Raises:
        AttributeError: x is an iterator, which is not emulated.
    """
    if hasattr(x, "__next__"):
        raise not_emulated("tf.contrib.learn.Estimator with iterators as x and y")
    feeder = ArrayFeeder(x, y, batch_size, shuffle, epochs)
    return feeder.input_fn, feeder.feed


def _arrays(arrays: Any) -> Any:
    if arrays is None:
        return None
    if isinstance(arrays, dict):
        return {name: np.asarray(value) for name, value in arrays.items()}
    is_table = type(arrays).__name__ == "DataFrame"
    return np.asarray(arrays, float) if is_table else np.asarray(arrays)  # as extract_pandas_data


def _label_shape(array: Any) -> tuple[int, ...]:
    shape: tuple[int, ...] = array.shape[1:]
    return shape[1:] if shape[:1] == (1,) else shape


def _placeholder(array: Any, shape: list[Any], name: str) -> Any:
    return tf.placeholder(tf.as_dtype(array.dtype), shape, name=name)


def _mapped(arrays: Any, shape_of: Callable[[Any], list[Any]], name: str) -> Any:
    if isinstance(arrays, dict):
        return {
            key: _placeholder(array, shape_of(array), f"{name}_{key}")
            for key, array in arrays.items()
        }
    return None if arrays is None else _placeholder(arrays, shape_of(arrays), name)


def _pairs(placeholders: Any, arrays: Any) -> list[tuple[Any, Any]]:
    if placeholders is None:
        return []
    if isinstance(placeholders, dict):
        return [(placeholders[key], arrays[key]) for key in placeholders]
    return [(placeholders, arrays)]
