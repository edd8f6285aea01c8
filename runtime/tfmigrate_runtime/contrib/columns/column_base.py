"""The base class of tf.contrib.layers columns: a name, a key, and how they create tensors.

The columns are those of tensorflow/contrib/layers/python/layers/feature_column.py, with the same
fields under the same names: their keys say in which order the inputs of a model stand. They are
columns of compat.v1's tf.feature_column as well, as they had been.
"""

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.columns import _CategoricalColumn, _DenseColumn
from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim

load_tf_slim()
_layers: Any = importlib.import_module("tf_slim.layers.layers")
_sparse_ops: Any = importlib.import_module("tf_slim.layers.sparse_ops")


class Lookup(NamedTuple):
    """What a column looks up in a matrix of weights.

    Attributes:
        ids: SparseTensor of int64 [batch_size, ?].
        weights: SparseTensor of floats like it, or None.
        rows: how many rows the matrix has.
        combiner: "mean", "sqrtn" or "sum".
    """

    ids: Any
    weights: Any
    rows: int
    combiner: str


class FeatureColumn:
    """A column: a subclass is a named tuple of what describes it."""

    # Fields that two columns with the same key may have different values of.
    _not_in_key: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the variable scope."""
        raise NotImplementedError

    @property
    def config(self) -> dict[str, Any]:
        """What tf.parse_example needs to read it."""
        raise NotImplementedError

    @property
    def key(self) -> str:
        """What tells it from other columns, and by what columns are sorted."""
        if not self._not_in_key:
            return f"{self}"
        fields: tuple[str, ...] = getattr(self, "_fields", ())
        key_fields = [field for field in fields if field not in self._not_in_key]
        values = ", ".join(f"{field}={getattr(self, field)}" for field in key_fields)
        return f"{type(self).__name__}({values})"

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return self.config

    def _transform_feature(self, inputs: Any) -> Any:
        """Returns the column's tensor; inputs.get has those of features and of other columns."""
        raise NotImplementedError

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        """Puts the column's tensor into a dictionary of features and columns."""
        columns_to_tensors[self] = self._transform_feature(LazyTensors(columns_to_tensors))

    def dense_input(self, tensor: Any, weight_collections: Any, trainable: bool) -> Any:
        """Returns the input of a neural network, float32 [batch_size, n].

        Raises:
            ValueError: a network takes no such column.
        """
        raise ValueError(
            f"{type(self).__name__.removeprefix('_')} is not supported in DNN. "
            f"Please use embedding_column or one_hot_column. column: {self}"
        )

    def wide_lookup(self, tensor: Any) -> Lookup | None:
        """Returns what a linear model looks up; None where it multiplies instead.

        Raises:
            ValueError: a linear model takes no such column.
        """
        return None

    def checkpoint(self) -> tuple[str, str] | None:
        """Returns the checkpoint and the tensor in it that its weights start from."""
        path = getattr(self, "ckpt_to_load_from", None)
        name = getattr(self, "tensor_name_in_ckpt", None)
        return None if path is None or name is None else (path, name)


class LazyTensors:
    """The tensors of features and columns, made when they are first asked for."""

    def __init__(self, columns_to_tensors: dict[Any, Any]) -> None:
        self._tensors = columns_to_tensors

    def get(self, key: Any) -> Any:
        """Returns the tensor of a feature's name or of a column.

        Raises:
            ValueError: there is no such feature.
            TypeError: it is neither.
        """
        if key in self._tensors:
            return self._tensors[key]
        if isinstance(key, str):
            raise ValueError(f"features dictionary doesn't contain key ({key})")
        if not isinstance(key, FeatureColumn):
            raise TypeError(f'"key" must be either a "str" or "_FeatureColumn". Provided: {key}')
        key.insert_transformed_feature(self._tensors)
        return self._tensors[key]


class CategoricalFeature(FeatureColumn, _CategoricalColumn):  # type: ignore[misc]
    """A column of categories."""

    @property
    def length(self) -> int:
        """How many categories there are."""
        raise NotImplementedError

    @property
    def _num_buckets(self) -> int:
        return self.length

    def id_tensor(self, tensor: Any) -> Any:
        """Returns the ids in the column's tensor."""
        return tensor

    def weight_tensor(self, tensor: Any) -> Any:
        """Returns the weights in the column's tensor; None where there are none."""
        return None

    def _get_sparse_tensors(
        self, inputs: Any, weight_collections: Any = None, trainable: Any = None
    ) -> Any:
        tensor = inputs.get(self)
        return self.IdWeightPair(self.id_tensor(tensor), self.weight_tensor(tensor))


class DenseFeature(FeatureColumn, _DenseColumn):  # type: ignore[misc]
    """A column of numbers."""

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: Any = None, trainable: Any = None
    ) -> Any:
        return self.dense_input(inputs.get(self), weight_collections, bool(trainable))


def as_matrix(tensor: Any, name: str) -> Any:
    """Returns a tensor with two dimensions, the inner ones flattened or one added.

    Raises:
        ValueError: it is a scalar.
    """
    if (rank := tensor.shape.rank) == 0:
        raise ValueError(f"Error while processing column {name}. A scalar has no batch dimension.")
    if rank == 1:
        return tf.expand_dims(tensor, -1, name="expand_dims")
    return tensor if rank == 2 else flattened(tensor)


def flattened(tensor: Any) -> Any:
    """Returns a tensor, dense or sparse, with the dimensions after the first made one."""
    return _layers._inner_flatten(tensor, 2)


def parts_of(variable: Any) -> list[Any]:
    """Returns the parts of a variable that a partitioner has cut, else the variable alone."""
    parts = getattr(variable, "_get_variable_list", None)
    return list(parts()) if parts else [variable]


def sparse_of(tensor: Any, missing: Any = None) -> Any:
    """Returns the SparseTensor of what is not missing (by default: what is not 0 or "")."""
    return _sparse_ops.dense_to_sparse_tensor(tensor, ignore_value=missing)


def config_of(column: Any) -> dict[str, Any]:
    """Returns how tf.parse_example reads a column.

    Raises:
        TypeError: it is none of tf.contrib.layers.
    """
    if not isinstance(column, FeatureColumn):
        raise TypeError(
            "feature_columns should only contain instances of _FeatureColumn. "
            f"Given column is {column}"
        )
    return column.config


def create_feature_spec_for_parsing(feature_columns: Any) -> dict[str, Any]:
    """Returns how tf.parse_example reads columns.

    Args:
        feature_columns: an iterable of columns, or a dictionary with them as values.

    Returns:
        The features (tf.VarLenFeature, tf.FixedLenFeature) by their names.

    Raises:
        TypeError: one is not a column of tf.contrib.layers.
    """
    if isinstance(feature_columns, Mapping):
        feature_columns = feature_columns.values()
    return {name: f for column in feature_columns for name, f in config_of(column).items()}
