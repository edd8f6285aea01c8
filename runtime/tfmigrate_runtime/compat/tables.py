"""Lookup tables of graphs: tf.contrib.lookup, in addition to the few that tf.lookup has."""

from tensorflow.python.ops.lookup_ops import (
    FastHashSpec, HasherSpec, IdTableWithHashBuckets, InitializableLookupTableBaseV1,
    LookupInterface, StrongHashSpec, TableInitializerBase, TextFileIdTableInitializer,
    TextFileStringTableInitializer, index_table_from_file, index_table_from_tensor,
    index_to_string_table_from_file, index_to_string_table_from_tensor,
)  # fmt: skip

__all__ = [
    "FastHashSpec", "HasherSpec", "IdTableWithHashBuckets", "InitializableLookupTableBaseV1",
    "LookupInterface", "StrongHashSpec", "TableInitializerBase", "TextFileIdTableInitializer",
    "TextFileStringTableInitializer", "index_table_from_file", "index_table_from_tensor",
    "index_to_string_table_from_file", "index_to_string_table_from_tensor",
]  # fmt: skip
