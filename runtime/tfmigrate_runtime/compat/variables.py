"""Variables of TensorFlow 2 that are made from a handle."""

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
