"""tf.contrib.lookup on TensorFlow 2.

``from tfmigrate_runtime import lookup`` instead of ``lookup = tf.contrib.lookup``. TensorFlow
still has these tables, for its feature columns, in a module that is not public; this file is the
only one that looks there.
"""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import tables

__all__ = [
    "FastHashSpec", "HashTable", "HasherSpec", "IdTableWithHashBuckets",
    "InitializableLookupTableBase", "KeyValueTensorInitializer", "LookupInterface",
    "MutableDenseHashTable", "MutableHashTable", "StrongHashSpec", "TableInitializerBase",
    "TextFileIdTableInitializer", "TextFileIndex", "TextFileInitializer",
    "TextFileStringTableInitializer", "index_table_from_file", "index_table_from_tensor",
    "index_to_string", "index_to_string_table_from_file", "index_to_string_table_from_tensor",
    "string_to_index", "string_to_index_table_from_file", "string_to_index_table_from_tensor",
]  # fmt: skip

FastHashSpec = tables.FastHashSpec
HasherSpec = tables.HasherSpec
IdTableWithHashBuckets = tables.IdTableWithHashBuckets
InitializableLookupTableBase = tables.InitializableLookupTableBaseV1
KeyValueTensorInitializer = tf.lookup.KeyValueTensorInitializer
LookupInterface = tables.LookupInterface
MutableDenseHashTable = tf.lookup.experimental.DenseHashTable
MutableHashTable = tf.lookup.experimental.MutableHashTable
StrongHashSpec = tables.StrongHashSpec
TableInitializerBase = tables.TableInitializerBase
TextFileIdTableInitializer = tables.TextFileIdTableInitializer
TextFileIndex = tf.lookup.TextFileIndex
TextFileInitializer = tf.lookup.TextFileInitializer
TextFileStringTableInitializer = tables.TextFileStringTableInitializer
index_table_from_file = tables.index_table_from_file
index_to_string_table_from_file = tables.index_to_string_table_from_file


class HashTable(tf.lookup.StaticHashTable):  # type: ignore[misc]
    """A table that does not change once it is initialized.

    Attributes:
        init: the operation that initializes it, as tf.tables_initializer() does.
    """

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        """Makes the table.

        Args:
            initializer: what fills it.
            default_value: what keys have that are not in it, [].
            shared_name: under which several sessions share it.
            name: of its operations, "hash_table" by default.
        """
        self._given_name = shared_name
        super().__init__(initializer, default_value, name)

    def _create_resource(self) -> Any:
        if self._given_name is not None:
            self._shared_name = self._given_name
        return super()._create_resource()

    @property
    def init(self) -> Any:
        """The operation that initializes it."""
        return self.initializer


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    dtype: Any = tf.string,
    name: str | None = None,
) -> Any:
    """Makes a table of indices of words.

    Args:
        mapping: the words, [size] of the dtype.
        num_oov_buckets: into how many further indices other words are hashed.
        default_value: the index of other words, where there are no buckets.
        hasher_spec: how they are hashed.
        dtype: string, or an integer type.
        name: of the operations.

    Returns:
        The table: int64 by the word.

    Raises:
        ValueError: there is no mapping, or fewer than 0 buckets.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return tables.index_table_from_tensor(
        mapping, num_oov_buckets, default_value, hasher_spec, dtype, name
    )


def index_to_string_table_from_tensor(
    mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """Makes a table of words by their int64 indices.

    Args:
        mapping: the words, string [size].
        default_value: the word of other indices.
        name: of the operations.

    Returns:
        The table: strings by the index.

    Raises:
        ValueError: there is no mapping.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return tables.index_to_string_table_from_tensor(mapping, default_value, name)


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: str | None = None,
) -> Any:
    """Makes a table of indices of the words in a file: see index_table_from_file."""
    return index_table_from_file(
        vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec, name=name
    )


def string_to_index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: str | None = None,
) -> Any:
    """Makes a table of indices of words, which are strings: see index_table_from_tensor.

    Raises:
        ValueError: they are not.
    """
    words = tf.convert_to_tensor(mapping)
    if words.dtype.base_dtype != tf.string:
        raise ValueError("string_to_index_table_from_tensor requires string.")
    return index_table_from_tensor(words, num_oov_buckets, default_value, hasher_spec, name=name)


def string_to_index(
    tensor: Any, mapping: Any, default_value: int = -1, name: str | None = None
) -> Any:
    """Looks up the int64 indices of words: see index_table_from_tensor."""
    table = index_table_from_tensor(mapping, default_value=default_value, name=name)
    return table.lookup(tensor)


def index_to_string(
    tensor: Any, mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """Looks up the words of int64 indices: see index_to_string_table_from_tensor."""
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)
