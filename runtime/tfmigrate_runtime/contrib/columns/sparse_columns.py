"""Columns of categories: by hash, by vocabulary, or as integers."""

from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import tables
from tfmigrate_runtime.contrib.columns import column_base


class _SparseIdLookupConfig(NamedTuple):
    vocabulary_file: str | None = None
    keys: tuple[Any, ...] | None = None
    num_oov_buckets: int = 0
    vocab_size: int | None = None
    default_value: int = -1


class _SparseFields(NamedTuple):
    column_name: str
    is_integerized: bool = False
    bucket_size: int | None = None
    lookup_config: _SparseIdLookupConfig | None = None
    combiner: str = "sum"
    dtype: Any = tf.string


class _SparseColumn(column_base.CategoricalFeature, _SparseFields):
    @property
    def name(self) -> str:
        return self.column_name

    @property
    def length(self) -> int:
        if self.bucket_size is not None:
            return self.bucket_size
        assert self.lookup_config is not None
        return (self.lookup_config.vocab_size or 0) + self.lookup_config.num_oov_buckets

    @property
    def config(self) -> dict[str, Any]:
        return {self.column_name: tf.VarLenFeature(self.dtype)}

    def wide_lookup(self, tensor: Any) -> column_base.Lookup:
        return column_base.Lookup(tensor, None, self.length, self.combiner)

    def _ids(self, tensor: Any) -> Any:
        """Returns the ids of the values of a SparseTensor."""
        raise NotImplementedError

    def _transform_feature(self, inputs: Any) -> Any:
        tensor = inputs.get(self.name)
        if not isinstance(tensor, tf.SparseTensor):
            # A dense feature has "" or -1 where it has no value.
            missing: Any = "" if tensor.dtype == tf.string else -1
            tensor = column_base.sparse_of(column_base.as_matrix(tensor, self.name), missing)
        return self._ids(tensor)


class _SparseColumnIntegerized(_SparseColumn):
    def _ids(self, tensor: Any) -> Any:
        values = tf.mod(tensor.values, self.bucket_size)
        return tf.SparseTensor(tensor.indices, values, tensor.dense_shape)


class _SparseColumnHashed(_SparseColumn):
    hash_keys: list[list[int]] | None = None

    def _ids(self, tensor: Any) -> Any:
        strings = tf.as_string(tensor.values) if self.dtype.is_integer else tensor.values
        if not self.hash_keys:
            values = tf.strings.to_hash_bucket_fast(strings, self.bucket_size)
            return tf.SparseTensor(tensor.indices, values, tensor.dense_shape)
        hashed = [
            tf.strings.to_hash_bucket_strong(strings, self.bucket_size, key)
            for key in self.hash_keys
        ]
        sparse = [tf.SparseTensor(tensor.indices, ids, tensor.dense_shape) for ids in hashed]
        return tf.sparse.concat(axis=1, sp_inputs=sparse)


class _SparseColumnKeys(_SparseColumn):
    def _ids(self, tensor: Any) -> Any:
        assert self.lookup_config is not None
        table = tables.index_table_from_tensor(
            list(self.lookup_config.keys or ()),
            default_value=self.lookup_config.default_value,
            dtype=self.dtype,
            name="lookup",
        )
        return table.lookup(tensor)


class _SparseColumnVocabulary(_SparseColumn):
    def _ids(self, tensor: Any) -> Any:
        assert self.lookup_config is not None
        if self.dtype.is_integer:
            strings = tf.as_string(tensor.values)
            tensor = tf.SparseTensor(tensor.indices, strings, tensor.dense_shape)
        table = tables.index_table_from_file(
            vocabulary_file=self.lookup_config.vocabulary_file,
            num_oov_buckets=self.lookup_config.num_oov_buckets,
            vocab_size=self.lookup_config.vocab_size,
            default_value=self.lookup_config.default_value,
            name=f"{self.name}_lookup",
        )
        return table.lookup(tensor)


class _WeightedFields(NamedTuple):
    sparse_id_column: _SparseColumn
    weight_column_name: str
    dtype: Any


class _WeightedSparseColumn(column_base.CategoricalFeature, _WeightedFields):
    @property
    def name(self) -> str:
        return f"{self.sparse_id_column.name}_weighted_by_{self.weight_column_name}"

    @property
    def length(self) -> int:
        return self.sparse_id_column.length

    @property
    def lookup_config(self) -> _SparseIdLookupConfig | None:
        """The vocabulary of the ids."""
        return self.sparse_id_column.lookup_config

    @property
    def config(self) -> dict[str, Any]:
        return {
            **column_base.config_of(self.sparse_id_column),
            self.weight_column_name: tf.VarLenFeature(self.dtype),
        }

    def id_tensor(self, tensor: Any) -> Any:
        return tensor[0]

    def weight_tensor(self, tensor: Any) -> Any:
        return tensor[1]

    def wide_lookup(self, tensor: Any) -> column_base.Lookup:
        ids, weights = tensor
        return column_base.Lookup(ids, weights, self.length, self.sparse_id_column.combiner)

    def _transform_feature(self, inputs: Any) -> Any:
        ids = inputs.get(self.sparse_id_column)
        weights = inputs.get(self.weight_column_name)
        if not isinstance(weights, tf.SparseTensor):
            weights = column_base.sparse_of(weights)
        if not self.dtype.is_floating:
            weights = tf.cast(weights, tf.float32)
        return ids, weights


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = tf.int64
) -> _SparseColumn:
    """Makes a column of categories that are numbers already, modulo bucket_size.

    Raises:
        ValueError: the type is not an integer, or bucket_size is less than 1.
    """
    if not dtype.is_integer:
        raise ValueError(
            "dtype must be an integer if is_integerized is True. "
            f"dtype: {dtype}, column_name: {column_name}."
        )
    _check(column_name, bucket_size, dtype)
    return _SparseColumnIntegerized(
        column_name, is_integerized=True, bucket_size=bucket_size, combiner=combiner, dtype=dtype
    )


def sparse_column_with_hash_bucket(
    column_name: str,
    hash_bucket_size: int,
    combiner: str = "sum",
    dtype: Any = tf.string,
    hash_keys: list[list[int]] | None = None,
) -> _SparseColumn:
    """Makes a column of strings or integers that are numbered by their hash.

    Args:
        column_name: the feature's name.
        hash_bucket_size: how many numbers there are.
        combiner: how a linear model combines the categories of an example.
        dtype: of the feature, string or an integer.
        hash_keys: pairs of integers: every value gets a number by each.

    Raises:
        ValueError: the type, the size or a key cannot be.
    """
    _check(column_name, hash_bucket_size, dtype)
    if hash_keys is not None and not _are_pairs(hash_keys):
        raise ValueError(f"hash_keys must be a non-empty list of pairs of integers: {hash_keys}")
    column = _SparseColumnHashed(
        column_name, bucket_size=hash_bucket_size, combiner=combiner, dtype=dtype
    )
    column.hash_keys = hash_keys
    return column


def sparse_column_with_keys(
    column_name: str,
    keys: Any,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = tf.string,
) -> _SparseColumn:
    """Makes a column of categories that are numbered as in a list.

    Args:
        column_name: the feature's name.
        keys: the categories.
        default_value: the number of all others.
        combiner: how a linear model combines the categories of an example.
        dtype: of the feature, string or an integer.

    Raises:
        ValueError: the type is another one.
    """
    _check(column_name, None, dtype)
    keys = tuple(keys)
    config = _SparseIdLookupConfig(keys=keys, vocab_size=len(keys), default_value=default_value)
    return _SparseColumnKeys(column_name, lookup_config=config, combiner=combiner, dtype=dtype)


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = tf.string,
) -> _SparseColumn:
    """Makes a column of categories that are numbered as the lines of a file.

    Args:
        column_name: the feature's name.
        vocabulary_file: its path.
        num_oov_buckets: how many numbers, by hash, there are for all others.
        vocab_size: how many lines count.
        default_value: the number of all others, where they have no buckets.
        combiner: how a linear model combines the categories of an example.
        dtype: of the feature, string or an integer.

    Raises:
        ValueError: vocab_size is not given, or the type is another one.
    """
    if vocab_size is None:
        raise ValueError(f"vocab_size should be defined. column_name: {column_name}")
    _check(column_name, None, dtype)
    config = _SparseIdLookupConfig(
        vocabulary_file, None, num_oov_buckets, vocab_size, default_value
    )
    return _SparseColumnVocabulary(
        column_name, lookup_config=config, combiner=combiner, dtype=dtype
    )


def weighted_sparse_column(
    sparse_id_column: _SparseColumn, weight_column_name: str, dtype: Any = tf.float32
) -> _WeightedSparseColumn:
    """Makes a column of categories with weights, which another feature has.

    Raises:
        ValueError: the weights' type is not a number.
    """
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype is not convertible to float. Given {dtype}")
    return _WeightedSparseColumn(sparse_id_column, weight_column_name, dtype)


def _check(column_name: str, bucket_size: int | None, dtype: Any) -> None:
    """Raises ValueError if the type or the size of a column cannot be."""
    if dtype != tf.string and not dtype.is_integer:
        raise ValueError(
            f"dtype must be string or integer. dtype: {dtype}, column_name: {column_name}"
        )
    if bucket_size is not None and bucket_size < 1:
        raise ValueError(
            "bucket_size must be at least 1. "
            f"bucket_size: {bucket_size}, column_name: {column_name}"
        )


def _are_pairs(keys: Any) -> bool:
    return (
        isinstance(keys, list)
        and bool(keys)
        and all(isinstance(pair, list) and len(pair) == 2 for pair in keys)
        and all(isinstance(number, int) for pair in keys for number in pair)
    )
