"""The input of contrib.learn's Estimators, and how many predictions it yields.

Tensors that no queue gives never end: contrib.learn predicted one batch of them, and so does this.
"""

from collections.abc import Iterator
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.calls import InputFunction


class InputOf:
    """An input function without arguments, which remembers what kind its input is of.

    Attributes:
        is_constant: whether it is neither a Dataset nor from a queue, so that contrib.learn took it
            for one batch; known after the call.
    """

    def __init__(self, input_fn: InputFunction) -> None:
        self._input_fn, self.is_constant = input_fn, False

    def __call__(self) -> Any:
        """Calls the input function."""
        result = self._input_fn()
        is_queue = bool(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS))
        self.is_constant = not is_queue and not isinstance(result, tf2.data.Dataset)
        return result


def predictions_of(batches: Iterator[Any], source: InputOf, whole: bool) -> Iterator[Any]:
    """Yields the predictions of batches: batches, or examples."""
    for batch in batches:
        if whole:
            yield batch
        elif not isinstance(batch, dict):
            yield from batch
        else:
            for index in range(_row_count(next(iter(batch.values())))):
                yield {name: values[index] for name, values in batch.items()}
        if source.is_constant:
            return


def _row_count(value: Any) -> int:
    return int(value.dense_shape[0]) if hasattr(value, "dense_shape") else len(value)
