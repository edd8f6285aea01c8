"""Nested structures: what tf.contrib.framework.nest had and tf.nest has not."""

from tensorflow.python.util.nest import (
    assert_shallow_structure, flatten_dict_items, flatten_up_to, flatten_with_joined_string_paths,
    flatten_with_tuple_paths, flatten_with_tuple_paths_up_to, get_traverse_shallow_structure,
    map_structure_up_to, map_structure_with_paths, map_structure_with_tuple_paths,
    map_structure_with_tuple_paths_up_to,
)  # fmt: skip

__all__ = [
    "assert_shallow_structure", "flatten_dict_items", "flatten_up_to",
    "flatten_with_joined_string_paths", "flatten_with_tuple_paths",
    "flatten_with_tuple_paths_up_to", "get_traverse_shallow_structure", "map_structure_up_to",
    "map_structure_with_paths", "map_structure_with_tuple_paths",
    "map_structure_with_tuple_paths_up_to",
]  # fmt: skip
