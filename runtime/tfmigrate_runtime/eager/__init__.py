"""Functions of tf.contrib.eager that core TensorFlow has under no public name.

The meaning of the functions is that of contrib/eager/python of TensorFlow 1.15.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.eager import (
    context,
    gradients_function,
    implicit_grad,
    implicit_val_and_grad,
    val_and_grad_function,
)
from tfmigrate_runtime.eager import metrics as metrics
from tfmigrate_runtime.eager.functions import defun as defun

__all__ = [
    "ASYNC", "DEVICE_PLACEMENT_EXPLICIT", "DEVICE_PLACEMENT_SILENT", "DEVICE_PLACEMENT_WARN",
    "SYNC", "Iterator", "Saver", "Variable", "defun", "gradients_function", "implicit_gradients",
    "implicit_value_and_gradients", "list_devices", "metrics", "num_gpus",
    "value_and_gradients_function",
]  # fmt: skip

ASYNC = context.ASYNC
DEVICE_PLACEMENT_EXPLICIT = context.DEVICE_PLACEMENT_EXPLICIT
DEVICE_PLACEMENT_SILENT = context.DEVICE_PLACEMENT_SILENT
DEVICE_PLACEMENT_WARN = context.DEVICE_PLACEMENT_WARN
SYNC = context.SYNC
implicit_gradients = implicit_grad
implicit_value_and_gradients = implicit_val_and_grad
value_and_gradients_function = val_and_grad_function


def Variable(  # noqa: N802
    initial_value: Any = None, trainable: bool = True, *args: Any, **kwargs: Any
) -> Any:
    """Returns a resource variable: see tf.Variable for the arguments."""
    return tf.Variable(initial_value, trainable, *args, use_resource=True, **kwargs)


class Iterator:
    """Reads a dataset once, eagerly."""

    def __init__(self, dataset: Any) -> None:
        if not tf.executing_eagerly():
            raise RuntimeError(
                "tf.contrib.eager.Iterator objects can only be used when eager execution is "
                "enabled, use tf.data.Dataset.make_initializable_iterator or "
                "tf.data.Dataset.make_one_shot_iterator for graph construction"
            )
        self._iterator = iter(dataset)

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    next = __next__

    def get_next(self, name: str | None = None) -> Any:
        """Returns the next element.

        Raises:
            tf.errors.OutOfRangeError: there is none.
        """
        return self._iterator.get_next()


class Saver:
    """Saves variables under their names, without a session, as tf.train.Saver does with one."""

    def __init__(self, var_list: Any) -> None:
        """Makes a saver of a list of variables, or a dictionary of them by their names.

        Raises:
            RuntimeError: eager execution is not enabled.
        """
        if not tf.executing_eagerly():
            raise RuntimeError(
                "tfe.Saver can only be used when eager execution is enabled. Use tf.train.Saver "
                "when building graphs."
            )
        self._saver = tf.train.Saver(var_list=var_list)

    def save(self, file_prefix: str, global_step: Any = None) -> str:
        """Saves the variables, and returns the prefix of the files."""
        with tf.device("/device:CPU:0"):
            prefix: str = self._saver.save(
                None, file_prefix, write_meta_graph=False, global_step=global_step
            )
            return prefix

    def restore(self, file_prefix: str) -> None:
        """Assigns the variables what ``save`` has written for them."""
        with tf.device("/device:CPU:0"):
            self._saver.restore(None, file_prefix)


def num_gpus() -> int:
    """Returns how many GPUs there are."""
    return len(tf.config.list_logical_devices("GPU"))


def list_devices() -> list[str]:
    """Returns the full names of the devices."""
    names = (device.name for device in tf.config.list_logical_devices())
    local = "/job:localhost/replica:0/task:0"
    return [name if name.startswith("/job") else local + name for name in names]
