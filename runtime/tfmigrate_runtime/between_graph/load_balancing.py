"""What ``tf.contrib.training`` had to choose parameter servers, which TensorFlow 2 lacks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf


class GreedyLoadBalancingStrategy:
    """A ``ps_strategy`` that places every operation on the server with the least load so far."""

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], float]) -> None:
        """Begins without loads.

        Args:
            num_tasks: the number of parameter servers.
            load_fn: says which load an operation is.
        """
        self._loads = [0.0] * num_tasks
        self._load_fn = load_fn

    def __call__(self, op: Any) -> int:
        """Returns the number of the parameter server for an operation; the first of equal ones."""
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


class RandomStrategy:
    """A ``ps_strategy`` that goes by the names of operations, the same in every process."""

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        """Notes the seed.

        Args:
            num_ps_tasks: the number of parameter servers.
            seed: leads to another placement.
        """
        self._number = num_ps_tasks
        self._seed = seed

    def __call__(self, op: Any) -> int:
        """Returns the number of the parameter server for an operation."""
        key = f"{op.name}_{self._seed}".encode()
        return int(hashlib.md5(key, usedforsecurity=False).hexdigest(), 16) % self._number


def byte_size_load_fn(op: Any) -> int:
    """Returns the bytes of what an operation puts out: the load of a variable.

    Of a resource variable that is its handle: 1, as in TensorFlow 1.15.

    Args:
        op: an operation with one output.

    Raises:
        ValueError: it has another number of outputs, or its shape is not known.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    (output,) = op.outputs
    shape = output.shape
    if not shape.is_fully_defined():
        shape = tf.TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    # TensorFlow 2 says that a handle has no size.
    size = 1 if output.dtype in (tf.resource, tf.variant) else output.dtype.size
    return int(shape.num_elements() * size)
