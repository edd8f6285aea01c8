"""Columns that feed categories to a neural network: one-hot and embedding."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim
from tfmigrate_runtime.contrib.columns import column_base
from tfmigrate_runtime.contrib.columns.sparse_columns import _SparseColumn, _WeightedSparseColumn


class _OneHotFields(NamedTuple):
    sparse_id_column: Any


class _OneHotColumn(column_base.DenseFeature, _OneHotFields):
    @property
    def name(self) -> str:
        return f"{self.sparse_id_column.name}_one_hot"

    @property
    def length(self) -> int:
        """How many categories there are."""
        length: int = self.sparse_id_column.length
        return length

    @property
    def config(self) -> dict[str, Any]:
        return column_base.config_of(self.sparse_id_column)

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        ids = column_base.LazyTensors(columns_to_tensors).get(self.sparse_id_column)
        columns_to_tensors[self] = ids

    def dense_input(self, tensor: Any, weight_collections: Any, trainable: bool) -> Any:
        ids = column_base.flattened(self.sparse_id_column.id_tensor(tensor))
        if (weights := self.sparse_id_column.weight_tensor(tensor)) is None:
            dense = tf.sparse.to_dense(ids, default_value=-1)
            return tf.reduce_sum(tf.one_hot(dense, self.length), axis=[1])
        merged = tf.sparse.merge(sp_ids=ids, sp_values=weights, vocab_size=self.length)
        # Ids of -1 made entries outside of the matrix: a slice of all of it leaves them out.
        shape = merged.dense_shape
        dense = tf.sparse.to_dense(tf.sparse.slice(merged, tf.zeros_like(shape), shape))
        return tf.reshape(dense, [-1, self.length])

    @property
    def _variable_shape(self) -> tf.TensorShape:
        return tf.TensorShape([self.length])

    def _transform_feature(self, inputs: Any) -> Any:
        return self.dense_input(inputs.get(self.sparse_id_column), None, False)

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: Any = None, trainable: Any = None
    ) -> Any:
        return inputs.get(self)


class _EmbeddingFields(NamedTuple):
    sparse_id_column: Any
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    shared_embedding_name: str | None
    shared_vocab_size: int | None
    max_norm: float | None
    trainable: bool


class _EmbeddingColumn(column_base.DenseFeature, _EmbeddingFields):
    _not_in_key = ("initializer",)

    @property
    def name(self) -> str:
        kind = "embedding" if self.shared_embedding_name is None else "shared_embedding"
        return f"{self.sparse_id_column.name}_{kind}"

    @property
    def length(self) -> int:
        """How many categories there are."""
        length: int = self.shared_vocab_size or self.sparse_id_column.length
        return length

    @property
    def config(self) -> dict[str, Any]:
        return column_base.config_of(self.sparse_id_column)

    def _transform_feature(self, inputs: Any) -> Any:
        return inputs.get(self.sparse_id_column)

    def dense_input(self, tensor: Any, weight_collections: Any, trainable: bool) -> Any:
        weights = self.sparse_id_column.weight_tensor(tensor)
        parts = column_base.parts_of(self._matrix(weight_collections, trainable and self.trainable))
        restore(self.checkpoint(), parts)
        return tf.nn.safe_embedding_lookup_sparse(
            parts,
            column_base.flattened(self.sparse_id_column.id_tensor(tensor)),
            sparse_weights=None if weights is None else column_base.flattened(weights),
            combiner=self.combiner,
            name=f"{self.name}weights",
            max_norm=self.max_norm,
        )

    def wide_lookup(self, tensor: Any) -> column_base.Lookup:
        raise ValueError(
            f"Column {self} is not supported in linear models. Please use sparse_column."
        )

    def _matrix(self, collections: Any, trainable: bool) -> Any:
        """Returns the variable, one of all columns that share it.

        Raises:
            ValueError: the one that they share has another shape.
        """
        shape = [self.length, self.dimension]
        shared = self.shared_embedding_name
        key = f"SHARED_EMBEDDING_COLLECTION_{(shared or '').upper()}"
        known = tf.get_collection(key) if shared else []
        if known:
            if known[0].shape != tf.TensorShape(shape):
                raise ValueError(
                    f"The embedding variable with name {shared} already exists, but its shape "
                    "does not match required embedding shape here. Please make sure to use "
                    "different shared_embedding_name for different shared embeddings."
                )
            return known[0]
        matrix = load_tf_slim().model_variable(
            name=shared or "weights",
            shape=shape,
            dtype=tf.float32,
            initializer=self.initializer,
            trainable=trainable,
            collections=collections,
        )
        if shared:
            tf.add_to_collection(key, matrix)
        return matrix

    @property
    def _variable_shape(self) -> tf.TensorShape:
        return tf.TensorShape([self.dimension])


def one_hot_column(sparse_id_column: Any) -> _OneHotColumn:
    """Makes a column with a 1 for every category of an example, or its weight."""
    return _OneHotColumn(sparse_id_column)


def embedding_column(
    sparse_id_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> _EmbeddingColumn:
    """Makes a column with a vector for every category.

    Args:
        sparse_id_column: the categories.
        dimension: the size of a vector.
        combiner: how the vectors of an example are combined: "mean", "sqrtn" or "sum".
        initializer: of the vectors; by default a truncated normal distribution with a standard
            deviation of 1/sqrt(number of categories). That of tf.feature_column has
            1/sqrt(dimension).
        ckpt_to_load_from: a checkpoint that the vectors start from.
        tensor_name_in_ckpt: their name in it.
        max_norm: the norm that a vector is clipped to.
        trainable: whether they are trained.

    Raises:
        ValueError: the initializer cannot be called, or only one of checkpoint and name is given.
    """
    return _embedded(
        sparse_id_column,
        dimension,
        combiner,
        initializer,
        (ckpt_to_load_from, tensor_name_in_ckpt),
        (None, None),
        max_norm,
        trainable,
    )


def shared_embedding_columns(
    sparse_id_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    shared_embedding_name: str | None = None,
    initializer: Any = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> Sequence[_EmbeddingColumn]:
    """Makes columns with the same vectors for the categories of all of them.

    Args:
        sparse_id_columns: columns with the same categories.
        shared_embedding_name: of the variable; by default made of the columns' names.
        dimension: as in embedding_column, like all others.
        combiner: how vectors are combined.
        initializer: of the vectors.
        ckpt_to_load_from: a checkpoint.
        tensor_name_in_ckpt: a name in it.
        max_norm: the norm that a vector is clipped to.
        trainable: whether they are trained.

    Returns:
        The columns, in the same order.

    Raises:
        TypeError: there is no sequence of columns of categories.
        ValueError: it is empty, or the columns have different categories.
    """
    if not isinstance(sparse_id_columns, Sequence) or isinstance(sparse_id_columns, str):
        raise TypeError(
            "sparse_id_columns must be a non-string sequence (ex: list or tuple) instead of type "
            f"{type(sparse_id_columns)}."
        )
    if not sparse_id_columns:
        raise ValueError("The input sparse_id_columns should have at least one element.")
    for column in sparse_id_columns:
        if not isinstance(column, (_SparseColumn, _WeightedSparseColumn)):
            raise TypeError(
                "Elements of sparse_id_columns must be _SparseColumn or _WeightedSparseColumn, "
                f"but {column} is not."
            )
    first, *others = [_categories(column) for column in sparse_id_columns]
    if not all(_compatible(first, other) for other in others):
        raise ValueError("The input sparse id columns are not compatible.")
    shared = (shared_embedding_name, None)
    if others:
        shared = (shared_embedding_name or _shared_name(sparse_id_columns), first.length)
    columns = [
        _embedded(
            column,
            dimension,
            combiner,
            initializer,
            (ckpt_to_load_from, tensor_name_in_ckpt),
            shared,
            max_norm,
            trainable,
        )
        for column in sparse_id_columns
    ]
    return tuple(columns) if others else columns


def restore(checkpoint: tuple[str, str] | None, variables: list[Any]) -> None:
    """Lets variables start from a tensor of a checkpoint."""
    if checkpoint is not None:
        path, name = checkpoint
        whole = variables[0] if len(variables) == 1 else variables
        tf.train.init_from_checkpoint(path, {name: whole})


def _embedded(
    column: Any,
    dimension: int,
    combiner: str,
    initializer: Any,
    checkpoint: tuple[str | None, str | None],
    shared: tuple[str | None, int | None],
    max_norm: float | None,
    trainable: bool,
) -> _EmbeddingColumn:
    """Returns an embedding column.

    Raises:
        ValueError: see embedding_column.
    """
    if initializer is not None and not callable(initializer):
        raise ValueError(
            f"initializer must be callable if specified. Embedding of column_name: {column.name}"
        )
    if (checkpoint[0] is None) != (checkpoint[1] is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    if initializer is None:
        stddev = 1 / math.sqrt(column.length)
        initializer = tf.truncated_normal_initializer(mean=0.0, stddev=stddev)
    return _EmbeddingColumn(
        column, dimension, combiner, initializer, *checkpoint, *shared, max_norm, trainable
    )


def _categories(column: Any) -> Any:
    return column.sparse_id_column if isinstance(column, _WeightedSparseColumn) else column


def _compatible(one: Any, other: Any) -> bool:
    """Returns whether two columns of categories can share vectors."""
    if one.lookup_config and other.lookup_config:
        return bool(one.lookup_config == other.lookup_config)
    integers = one.dtype.is_integer and other.dtype.is_integer
    return bool(one.length == other.length and (one.dtype == other.dtype or integers))


def _shared_name(columns: Sequence[Any]) -> str:
    """Returns the name of the vectors of several columns: those of three, plain ones first."""
    ordered = sorted(columns, key=lambda c: (isinstance(c, _WeightedSparseColumn), c.name))
    names = [column.name for column in ordered]
    more = f"_plus_{len(names) - 3}_others" if len(names) > 3 else ""
    return "_".join(names[:3]) + more + "_shared_embedding"
