"""``tf.contrib.learn.io``: arrays and files as input."""

from collections.abc import Callable
from typing import Any

from tfmigrate_runtime.contrib.graph_io import (
    queue_parsed_features,
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_examples,
    read_keyed_batch_features,
)
from tfmigrate_runtime.estimator import inputs

__all__ = [
    "numpy_input_fn", "pandas_input_fn", "queue_parsed_features", "read_batch_examples",
    "read_batch_features", "read_batch_record_features", "read_keyed_batch_examples",
    "read_keyed_batch_features",
]  # fmt: skip


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Returns ``estimator.inputs.numpy_input_fn``, which shuffles where nothing else is said."""
    return inputs.numpy_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads)


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Returns ``estimator.inputs.pandas_input_fn``, which shuffles where nothing else is said."""
    return inputs.pandas_input_fn(
        x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads, target_column
    )
