"""Variables of TensorFlow 2 that are made from a handle, and what those of TensorFlow 1.x had."""

from typing import Any

import tensorflow.compat.v1 as tf

# The data of a handle says which shape and dtype a variable has. No public way.
from tensorflow.python.ops.handle_data_util import create_handle_data as create_handle_data
from tensorflow.python.ops.handle_data_util import set_handle_data as set_handle_data

# tf.Variable makes its own handle, whose name cannot be chosen.
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable as BaseResourceVariable

# Frees the memory of a variable with its last reference.
from tensorflow.python.ops.resource_variable_ops import EagerResourceDeleter as EagerResourceDeleter

# What a variable in parts is, to a Saver. No public class or function.
from tensorflow.python.ops.variables import PartitionedVariable as PartitionedVariable
from tensorflow.python.training.saving import saveable_object as saveable_object
from tensorflow.python.training.saving import saveable_object_util as saveable_object_util


def _initialized_value(variable: Any) -> Any:
    """Returns the value of a variable that may not have been initialized yet."""
    # Outside loops, whose bodies are graphs of their own: initializers are there, too.
    with tf.init_scope():
        is_initialized = tf.is_variable_initialized(variable)
        return tf.cond(is_initialized, variable.read_value, lambda: variable.initial_value)


# Reference variables have it. The runtime's graphs have others, which have only the name.
if "initialized_value" not in vars(BaseResourceVariable):
    BaseResourceVariable.initialized_value = _initialized_value
