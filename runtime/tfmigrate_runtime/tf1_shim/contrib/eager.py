"""tf.contrib.eager: what it had in addition to the core, and what the core took over."""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import eager
from tfmigrate_runtime.compat.shim_ops import EagerVariableStore
from tfmigrate_runtime.tf1_shim.names_of import names_of

_look_up, _names = names_of(__name__, eager)
__getattr__ = _look_up
__all__ = [
    "Checkpoint", "EagerVariableStore", "GradientTape", "TensorSpec", "custom_gradient",
    "enable_eager_execution", "executing_eagerly", "function", "in_eager_mode", "py_func",
]  # fmt: skip
__all__ += _names

Checkpoint = tf.train.Checkpoint
GradientTape = tf.GradientTape
TensorSpec = tf.TensorSpec
custom_gradient = tf.custom_gradient
enable_eager_execution = tf.enable_eager_execution
executing_eagerly = tf.executing_eagerly
function = tf.function
in_eager_mode = tf.executing_eagerly  # its name before TensorFlow 1.5
py_func = tf.py_function
