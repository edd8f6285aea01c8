"""What tfmigrate_runtime.lookup has of tf.contrib.lookup."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.lookup",
    "tfmigrate_runtime.lookup",
    {
        "": frozenset(
            {
                "FastHashSpec",
                "HashTable",
                "HasherSpec",
                "IdTableWithHashBuckets",
                "InitializableLookupTableBase",
                "KeyValueTensorInitializer",
                "LookupInterface",
                "MutableDenseHashTable",
                "MutableHashTable",
                "StrongHashSpec",
                "TableInitializerBase",
                "TextFileIdTableInitializer",
                "TextFileIndex",
                "TextFileInitializer",
                "TextFileStringTableInitializer",
                "index_table_from_file",
                "index_table_from_tensor",
                "index_to_string",
                "index_to_string_table_from_file",
                "index_to_string_table_from_tensor",
                "string_to_index",
                "string_to_index_table_from_file",
                "string_to_index_table_from_tensor",
            }
        )
    },
)
