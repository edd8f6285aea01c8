"""Chooses the parameter server of a variable: ps_strategy of tf.train.replica_device_setter.

The module of the same name of ``tf.contrib.training`` in TensorFlow 1.15.
"""

import hashlib
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf


class RandomStrategy:
    """Chooses the parameter server by the name of the variable, the same in every run."""

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        """Makes the strategy.

        Args:
            num_ps_tasks: the number of parameter servers.
            seed: another choice for another seed.
        """
        self._num_tasks, self._seed = num_ps_tasks, seed

    def __call__(self, op: Any) -> int:
        """Returns the parameter server of an operation."""
        key = f"{op.name}_{self._seed}".encode()
        return int(hashlib.md5(key, usedforsecurity=False).hexdigest(), 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """Chooses the parameter server with the least load so far, the first of equal ones."""

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], float]) -> None:
        """Makes the strategy.

        Args:
            num_tasks: the number of parameter servers.
            load_fn: returns how much load an operation is.
        """
        self._load_fn = load_fn
        self._loads = [0.0] * num_tasks

    def __call__(self, op: Any) -> int:
        """Returns the parameter server of an operation, which has its load from now on."""
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: Any) -> int:
    """Returns the number of bytes of the value of an operation with one output.

    Where all variables are resources, as by default in TensorFlow 2, their values count, as those
    of variables did in TensorFlow 1.x. Where only some are, because the program says so, their
    handles count as in TensorFlow 1.15: as one byte.

    Args:
        op: an operation, mostly that of a variable.

    Raises:
        ValueError: it has not one output, or the shape of its value is not known.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    kind, shape = op.outputs[0].dtype.base_dtype, op.outputs[0].shape
    if op.type == "VarHandleOp":
        if not tf.resource_variables_enabled():
            return 1
        kind, shape = op.get_attr("dtype"), tf.TensorShape(op.get_attr("shape"))
    if not shape.is_fully_defined():
        # Scalar variables that are no resources get their shape after they were placed.
        shape = tf.TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    return int(shape.num_elements()) * int(tf.as_dtype(kind).size)
