"""What tfmigrate_runtime.framework has of tf.contrib.framework."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.framework",
    "tfmigrate_runtime.framework",
    {
        "": frozenset(
            {
                "VariableDeviceChooser",
                "add_arg_scope",
                "add_model_variable",
                "arg_scope",
                "arg_scoped_arguments",
                "assert_or_get_global_step",
                "assert_scalar_int",
                "assign_from_checkpoint",
                "assign_from_checkpoint_fn",
                "assign_from_values",
                "assign_from_values_fn",
                "current_arg_scope",
                "deprecated",
                "deprecated_arg_values",
                "deprecated_args",
                "filter_variables",
                "get_local_variables",
                "get_model_variables",
                "get_name_scope",
                "get_placeholders",
                "get_trainable_variables",
                "get_unique_variable",
                "get_variable_full_name",
                "get_variables",
                "get_variables_by_name",
                "get_variables_by_suffix",
                "get_variables_to_restore",
                "global_variable",
                "has_arg_scope",
                "local_variable",
                "model_variable",
                "prepend_name_scope",
                "reduce_sum_n",
                "remove_squeezable_dimensions",
                "smart_case",
                "smart_cond",
                "smart_constant_value",
                "strip_name_scope",
                "variable",
                "with_same_shape",
                "with_shape",
            }
        ),
        "nest": frozenset(
            {
                "assert_same_structure",
                "assert_shallow_structure",
                "flatten",
                "flatten_dict_items",
                "flatten_up_to",
                "flatten_with_joined_string_paths",
                "flatten_with_tuple_paths",
                "flatten_with_tuple_paths_up_to",
                "get_traverse_shallow_structure",
                "is_nested",
                "is_sequence",
                "map_structure",
                "map_structure_up_to",
                "map_structure_with_paths",
                "map_structure_with_tuple_paths",
                "map_structure_with_tuple_paths_up_to",
                "pack_sequence_as",
            }
        ),
    },
)
