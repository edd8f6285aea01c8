"""tf.contrib.framework.nest: nested structures, with the functions that tf.nest left out."""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.structures import (
    assert_shallow_structure, flatten_dict_items, flatten_up_to, flatten_with_joined_string_paths,
    flatten_with_tuple_paths, flatten_with_tuple_paths_up_to, get_traverse_shallow_structure,
    map_structure_up_to, map_structure_with_paths, map_structure_with_tuple_paths,
    map_structure_with_tuple_paths_up_to,
)  # fmt: skip

assert_same_structure = tf.nest.assert_same_structure
flatten = tf.nest.flatten
is_nested = tf.nest.is_nested
map_structure = tf.nest.map_structure
pack_sequence_as = tf.nest.pack_sequence_as
# What it was called until TensorFlow 2.3.
is_sequence = is_nested

__all__ = [
    "assert_same_structure", "assert_shallow_structure", "flatten", "flatten_dict_items",
    "flatten_up_to", "flatten_with_joined_string_paths", "flatten_with_tuple_paths",
    "flatten_with_tuple_paths_up_to", "get_traverse_shallow_structure", "is_nested", "is_sequence",
    "map_structure", "map_structure_up_to", "map_structure_with_paths",
    "map_structure_with_tuple_paths", "map_structure_with_tuple_paths_up_to", "pack_sequence_as",
]  # fmt: skip
