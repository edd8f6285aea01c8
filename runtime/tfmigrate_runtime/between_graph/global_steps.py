"""The global step of programs that make it as a variable of that name."""

from __future__ import annotations

import tensorflow.compat.v1 as tf


def note_global_step() -> None:
    """Lets ``tf.train.get_global_step`` find the global step that a replica function has made.

    Without the collection it looks for the tensor ``global_step:0`` (``training_util`` of
    TensorFlow 1.15), which was the variable's value; that of a resource variable is its handle, for
    which sessions, supervisors and hooks raise a TypeError.
    """
    if tf.get_collection(tf.GraphKeys.GLOBAL_STEP):
        return
    for variable in tf.global_variables():
        if variable.op.name == "global_step" and variable.dtype.base_dtype.is_integer:
            tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, variable)
