"""Columns of combinations of categories."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.columns.column_base import (
    CategoricalFeature,
    Lookup,
    create_feature_spec_for_parsing,
)
from tfmigrate_runtime.contrib.columns.real_valued_columns import _BucketizedColumn
from tfmigrate_runtime.contrib.columns.sparse_columns import _SparseColumn

# What hashes of crosses start with, and what is added to each (tensorflow/core/lib/hash/hash.h).
_SEED = 0xDECAFCAFFE
_ADDED = 0x9E3779B97F4A7800 - (1 << 64)


class _CrossedFields(NamedTuple):
    columns: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None
    combiner: str
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None


class _CrossedColumn(CategoricalFeature, _CrossedFields):
    @property
    def name(self) -> str:
        return "_X_".join(sorted(column.name for column in self.columns))

    @property
    def length(self) -> int:
        return self.hash_bucket_size

    @property
    def config(self) -> dict[str, Any]:
        return create_feature_spec_for_parsing(self.columns)

    def wide_lookup(self, tensor: Any) -> Lookup:
        return Lookup(tensor, None, self.length, self.combiner)

    def _transform_feature(self, inputs: Any) -> Any:
        features = [_crossed_feature(column, inputs) for column in _leaves(self)]
        if self.hash_key:
            return tf.sparse.cross_hashed(
                features, num_buckets=self.hash_bucket_size, hash_key=self.hash_key, name="cross"
            )
        return sparse_feature_cross(features, self.hash_bucket_size)


def crossed_column(
    columns: Iterable[Any],
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    hash_key: int | None = None,
) -> _CrossedColumn:
    """Makes a column of all combinations of the categories of an example.

    Args:
        columns: at least two; of categories, buckets or combinations.
        hash_bucket_size: how many numbers they have.
        combiner: how a linear model combines the combinations of an example.
        ckpt_to_load_from: a checkpoint that the weights of a linear model start from.
        tensor_name_in_ckpt: their name in it.
        hash_key: that of tf.feature_column's crosses; by default combinations are hashed as
            tf.contrib.layers did.

    Raises:
        TypeError: a column is another one.
        ValueError: there are less than two columns or buckets, or only one of checkpoint and name.
    """
    column_list = list(columns)
    for column in column_list:
        if not isinstance(column, (_SparseColumn, _CrossedColumn, _BucketizedColumn)):
            raise TypeError(
                "columns must be a set of _SparseColumn, _CrossedColumn, or _BucketizedColumn "
                f"instances. (column {column} is a {type(column).__name__})"
            )
    if len(column_list) < 2:
        raise ValueError(f"columns must contain at least 2 elements. columns: {column_list}")
    if hash_bucket_size < 2:
        raise ValueError(
            f"hash_bucket_size must be at least 2. hash_bucket_size: {hash_bucket_size}"
        )
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    ordered = tuple(sorted(column_list, key=lambda column: column.name))
    return _CrossedColumn(
        ordered, hash_bucket_size, hash_key, combiner, ckpt_to_load_from, tensor_name_in_ckpt
    )


def sparse_feature_cross(features: list[Any], num_buckets: int) -> Any:
    """Numbers all combinations of the values of every row, as tf.contrib.layers did.

    The kernel of TensorFlow 1.x without a hash_key is not in TensorFlow 2. A combination's hash is
    made from those of its values (of integers: themselves) by HashCombine
    (contrib/layers/kernels/sparse_feature_cross_kernel.cc).

    Args:
        features: tensors of strings or integers, [batch_size, ?], sparse or not.
        num_buckets: how many numbers there are.

    Returns:
        SparseTensor of int64 [batch_size, ?]; the last feature's values change fastest.
    """
    features = [_sparse(feature) for feature in features]
    positions = [
        tf.SparseTensor(
            feature.indices,
            tf.range(tf.size(feature.values, out_type=tf.int64), dtype=tf.int64),
            feature.dense_shape,
        )
        for feature in features
    ]
    crosses = tf.sparse.cross(positions)
    parts = tf.strings.split(crosses.values, sep="_X_", result_type="RaggedTensor")
    shape = [None, len(features)]
    picked = tf.strings.to_number(parts.to_tensor(default_value="0", shape=shape), tf.int64)
    hashed = tf.fill(tf.shape(crosses.values), tf.constant(_SEED, tf.int64))
    for place, feature in enumerate(features):
        hashed = _combined(hashed, tf.gather(_fingerprints(feature.values), picked[:, place]))
    return tf.SparseTensor(
        crosses.indices, _unsigned_remainder(hashed, num_buckets), crosses.dense_shape
    )


def _sparse(feature: Any) -> Any:
    """Returns a SparseTensor of all values of a tensor, "" and -1 among them."""
    if isinstance(feature, tf.SparseTensor):
        return feature
    shape = tf.shape(feature, out_type=tf.int64)
    return tf.SparseTensor(tf.where(tf.fill(shape, True)), tf.reshape(feature, [-1]), shape)


def _leaves(cross: _CrossedColumn) -> Iterator[Any]:
    """Yields the columns that a cross, and those in it, is made of."""
    for column in cross.columns:
        if isinstance(column, _CrossedColumn):
            yield from _leaves(column)
        else:
            yield column


def _crossed_feature(column: Any, inputs: Any) -> Any:
    """Returns what is crossed of a column: its values themselves, not their numbers."""
    if isinstance(column, _SparseColumn):
        return inputs.get(column.name)
    return column.to_sparse_tensor(inputs.get(column))


def _fingerprints(values: Any) -> Any:
    """Returns the hashes of values, int64; integers stand for themselves."""
    if values.dtype != tf.string:
        return tf.cast(values, tf.int64)
    return tf.bitcast(tf.fingerprint(values), tf.int64)


def _combined(hashed: Any, other: Any) -> Any:
    """Returns HashCombine of two hashes; int64, so that its right shift copies the sign."""
    left = tf.bitwise.left_shift(hashed, tf.constant(10, tf.int64))
    right = tf.bitwise.right_shift(hashed, tf.constant(4, tf.int64))
    return tf.bitwise.bitwise_xor(hashed, other + tf.constant(_ADDED, tf.int64) + left + right)


def _unsigned_remainder(number: Any, divisor: int) -> Any:
    """Returns the remainder of the unsigned number with the same bits, by its half and last bit."""
    last_bit = tf.bitwise.bitwise_and(number, tf.constant(1, tf.int64))
    half = tf.bitwise.right_shift(number, tf.constant(1, tf.int64))
    half = tf.bitwise.bitwise_and(half, tf.constant(tf.int64.max, tf.int64))
    half = tf.floormod(half, tf.constant(divisor, tf.int64))
    return tf.floormod(half * 2 + last_bit, tf.constant(divisor, tf.int64))
