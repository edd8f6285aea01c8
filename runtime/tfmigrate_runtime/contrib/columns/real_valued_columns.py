"""Columns of numbers, and of the buckets that they fall into."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.columns import column_base


class _RealValuedFields(NamedTuple):
    column_name: str
    dimension: int
    default_value: tuple[float, ...] | None
    dtype: Any
    normalizer: Callable[[Any], Any] | None


class _RealValuedColumn(column_base.DenseFeature, _RealValuedFields):
    _not_in_key = ("normalizer",)

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def normalizer_fn(self) -> Callable[[Any], Any] | None:
        return self.normalizer

    @property
    def config(self) -> dict[str, Any]:
        default = None if self.default_value is None else list(self.default_value)
        return {self.column_name: tf.FixedLenFeature([self.dimension], self.dtype, default)}

    def _transform_feature(self, inputs: Any) -> Any:
        tensor = inputs.get(self.name)
        return tf.cast(self.normalizer(tensor) if self.normalizer else tensor, tf.float32)

    def dense_input(self, tensor: Any, weight_collections: Any, trainable: bool) -> Any:
        return column_base.as_matrix(tf.cast(tensor, tf.float32), self.name)

    @property
    def _variable_shape(self) -> tf.TensorShape:
        return tf.TensorShape([self.dimension])

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: Any = None, trainable: Any = None
    ) -> Any:
        return inputs.get(self)


class _BucketizedFields(NamedTuple):
    source_column: _RealValuedColumn
    boundaries: tuple[float, ...]


class _BucketizedColumn(
    column_base.CategoricalFeature, column_base.DenseFeature, _BucketizedFields
):
    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def length(self) -> int:
        return len(self.boundaries) + 1

    @property
    def config(self) -> dict[str, Any]:
        return self.source_column.config

    def _transform_feature(self, inputs: Any) -> Any:
        return tf.raw_ops.Bucketize(
            input=inputs.get(self.source_column), boundaries=list(self.boundaries)
        )

    def dense_input(self, tensor: Any, weight_collections: Any, trainable: bool) -> Any:
        hot = tf.one_hot(tf.cast(tensor, tf.int64), self.length, 1.0, 0.0)
        return tf.reshape(hot, [-1, self._num_buckets])

    def to_sparse_tensor(self, tensor: Any) -> Any:
        """Returns the buckets, SparseTensor of int32 [batch_size, dimension].

        The buckets of the second number follow those of the first, and so on.
        """
        dimension = self.source_column.dimension
        batch_size = tf.shape(tensor)[0]
        rows = tf.reshape(tf.tile(tf.expand_dims(tf.range(batch_size), 1), [1, dimension]), [-1])
        places = tf.tile(tf.range(dimension), [batch_size])
        indices = tf.cast(tf.stack([rows, places], axis=1), tf.int64)
        values = tf.reshape(tensor, [-1]) + self.length * places
        shape = tf.cast(tf.stack([batch_size, dimension]), tf.int64)
        return tf.SparseTensor(indices, values, shape)

    def id_tensor(self, tensor: Any) -> Any:
        return self.to_sparse_tensor(tensor)

    def wide_lookup(self, tensor: Any) -> column_base.Lookup:
        return column_base.Lookup(self.to_sparse_tensor(tensor), None, self._num_buckets, "sum")

    @property
    def _num_buckets(self) -> int:
        return self.length * self.source_column.dimension

    @property
    def _variable_shape(self) -> tf.TensorShape:
        return tf.TensorShape([self._num_buckets])


def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: Any = None,
    dtype: Any = tf.float32,
    normalizer: Callable[[Any], Any] | None = None,
) -> _RealValuedColumn:
    """Makes a column of numbers.

    Args:
        column_name: the feature's name.
        dimension: how many numbers an example has.
        default_value: what examples without the feature have: a number, or as many as dimension.
        dtype: of the feature, an integer or floating type.
        normalizer: what the numbers are passed through.

    Raises:
        TypeError: the dimension is not an integer, or the default value has another type.
        ValueError: the dimension is less than 1, the type is not a number, or there are not as many
            default values as numbers.
    """
    if not isinstance(dimension, int):
        raise TypeError(
            f"dimension must be an integer. dimension: {dimension}, column_name: {column_name}"
        )
    if dimension < 1:
        raise ValueError(
            f"dimension must be greater than 0. dimension: {dimension}, column_name: {column_name}"
        )
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(
            f"dtype must be convertible to float. dtype: {dtype}, column_name: {column_name}"
        )
    default = _default_values(default_value, dimension, dtype, column_name)
    return _RealValuedColumn(column_name, dimension, default, dtype, normalizer)


def bucketized_column(
    source_column: _RealValuedColumn, boundaries: Sequence[float]
) -> _BucketizedColumn:
    """Makes a column of the buckets that numbers fall into.

    Args:
        source_column: made by real_valued_column.
        boundaries: sorted; the first of every bucket but the first.

    Raises:
        TypeError: the source is another column.
        ValueError: there are no boundaries, or they are not sorted.
    """
    if not isinstance(source_column, _RealValuedColumn):
        raise TypeError(
            "source_column must be an instance of _RealValuedColumn. "
            f"source_column: {source_column}"
        )
    if not isinstance(boundaries, (list, tuple)) or not boundaries:
        raise ValueError(f"boundaries must be a non-empty list or tuple. boundaries: {boundaries}")
    if list(boundaries) != sorted(boundaries):
        raise ValueError(f"boundaries must be a sorted list. boundaries: {boundaries}")
    return _BucketizedColumn(source_column, tuple(dict.fromkeys(boundaries)))


def _default_values(
    value: Any, dimension: int, dtype: Any, column_name: str
) -> tuple[float, ...] | None:
    """Returns the default values, one for each number.

    Raises:
        TypeError: one is not a number, or a floating number for an integer feature.
        ValueError: there are not as many as numbers.
    """
    if value is None:
        return None
    values = value if isinstance(value, list) else [value] * dimension
    if len(values) != dimension:
        raise ValueError(
            "The length of default_value must be equal to dimension. "
            f"default_value: {value}, dimension: {dimension}, column_name: {column_name}"
        )
    allowed = (int,) if dtype.is_integer else (int, float)
    if not all(isinstance(number, allowed) for number in values):
        raise TypeError(
            "default_value must be compatible with dtype. "
            f"default_value: {value}, dtype: {dtype}, column_name: {column_name}"
        )
    return tuple(values) if dtype.is_integer else tuple(float(number) for number in values)
