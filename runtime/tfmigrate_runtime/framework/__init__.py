"""tf.contrib.framework on TensorFlow 2: variables and scopes of arguments, and its checks.

``from tfmigrate_runtime import framework`` instead of ``tf.contrib.framework``. What the core
of TensorFlow has under another name (``tf.train.list_variables``) is not here.
"""

from tfmigrate_runtime.compat.graphs import (
    deprecated, deprecated_arg_values, deprecated_args, prepend_name_scope, smart_case, smart_cond,
    smart_constant_value, strip_name_scope,
)  # fmt: skip
from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim
from tfmigrate_runtime.framework import nest
from tfmigrate_runtime.framework.graphs import get_name_scope, get_placeholders
from tfmigrate_runtime.framework.shapes import (
    assert_scalar_int, reduce_sum_n, remove_squeezable_dimensions, with_same_shape, with_shape,
)  # fmt: skip

_slim = load_tf_slim()

VariableDeviceChooser = _slim.VariableDeviceChooser
add_arg_scope = _slim.add_arg_scope
add_model_variable = _slim.add_model_variable
arg_scope = _slim.arg_scope
arg_scoped_arguments = _slim.arg_scoped_arguments
assert_or_get_global_step = _slim.assert_or_get_global_step
assign_from_checkpoint = _slim.assign_from_checkpoint
assign_from_checkpoint_fn = _slim.assign_from_checkpoint_fn
assign_from_values = _slim.assign_from_values
assign_from_values_fn = _slim.assign_from_values_fn
current_arg_scope = _slim.current_arg_scope
filter_variables = _slim.filter_variables
get_local_variables = _slim.get_local_variables
get_model_variables = _slim.get_model_variables
get_trainable_variables = _slim.get_trainable_variables
get_unique_variable = _slim.get_unique_variable
get_variable_full_name = _slim.get_variable_full_name
get_variables = _slim.get_variables
get_variables_by_name = _slim.get_variables_by_name
get_variables_by_suffix = _slim.get_variables_by_suffix
get_variables_to_restore = _slim.get_variables_to_restore
global_variable = _slim.global_variable
has_arg_scope = _slim.has_arg_scope
local_variable = _slim.local_variable
model_variable = _slim.model_variable
variable = _slim.variable

__all__ = [
    "VariableDeviceChooser", "add_arg_scope", "add_model_variable", "arg_scope",
    "arg_scoped_arguments", "assert_or_get_global_step", "assert_scalar_int",
    "assign_from_checkpoint", "assign_from_checkpoint_fn", "assign_from_values",
    "assign_from_values_fn", "current_arg_scope", "deprecated", "deprecated_arg_values",
    "deprecated_args", "filter_variables", "get_local_variables", "get_model_variables",
    "get_name_scope", "get_placeholders", "get_trainable_variables", "get_unique_variable",
    "get_variable_full_name", "get_variables", "get_variables_by_name", "get_variables_by_suffix",
    "get_variables_to_restore", "global_variable", "has_arg_scope", "local_variable",
    "model_variable", "nest", "prepend_name_scope", "reduce_sum_n", "remove_squeezable_dimensions",
    "smart_case", "smart_cond", "smart_constant_value", "strip_name_scope", "variable",
    "with_same_shape", "with_shape",
]  # fmt: skip
