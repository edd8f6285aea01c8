"""Builds the inputs of models from features and columns.

As tensorflow/contrib/layers/python/layers/feature_column_ops.py made them: columns in the order of
their keys, a variable scope for each.
"""

from collections.abc import Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim
from tfmigrate_runtime.contrib.columns import column_base
from tfmigrate_runtime.contrib.columns.embedding_columns import restore
from tfmigrate_runtime.contrib.columns.real_valued_columns import real_valued_column


def input_from_feature_columns(
    columns_to_tensors: dict[Any, Any],
    feature_columns: Iterable[Any],
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    cols_to_outs: dict[Any, Any] | None = None,
) -> Any:
    """Makes the input of a neural network.

    Args:
        columns_to_tensors: the features by their names; columns that are transformed already.
        feature_columns: the columns.
        weight_collections: collections that variables are added to.
        trainable: whether variables are trained.
        scope: of the variables, "input_from_feature_columns" by default.
        cols_to_outs: gets the part of every column.

    Returns:
        float32 [batch_size, n], the columns in the order of their keys.

    Raises:
        ValueError: two columns are the same, or a network takes no such column.
    """
    features = dict(columns_to_tensors)
    columns = sorted_columns(feature_columns)
    collections = _with_global(weight_collections)
    outputs = []
    values = _tensors(features)
    with tf.variable_scope(scope, "input_from_feature_columns", values):
        for column in columns:
            with tf.variable_scope(None, column.name, values):
                tensor = column_base.LazyTensors(features).get(column)
                outputs.append(column.dense_input(tensor, collections, trainable))
            if cols_to_outs is not None:
                cols_to_outs[column] = outputs[-1]
        return tf.concat(outputs, 1)


def weighted_sum_from_feature_columns(
    columns_to_tensors: dict[Any, Any],
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tuple[Any, dict[Any, list[Any]], Any]:
    """Makes a linear model; all its weights start from 0.

    Args:
        columns_to_tensors: the features by their names.
        feature_columns: the columns.
        num_outputs: how many predictions an example has.
        weight_collections: collections that variables are added to.
        trainable: whether variables are trained.
        scope: of the variables, "weighted_sum_from_feature_columns" by default.

    Returns:
        The predictions, float32 [batch_size, num_outputs]; the variables of every column; the bias.

    Raises:
        ValueError: two columns are the same, or a linear model takes no such column.
    """
    features = dict(columns_to_tensors)
    columns = sorted_columns(feature_columns)
    values = _tensors(features)
    outputs, variables = [], {}
    with tf.variable_scope(scope, "weighted_sum_from_feature_columns", values):
        for column in columns:
            tensor = column_base.LazyTensors(features).get(column)
            with tf.variable_scope(None, column.name, values):
                output, variables[column] = _weighted(
                    column, tensor, num_outputs, weight_collections, trainable
                )
            outputs.append(tf.reshape(output, [-1, num_outputs]))
            restore(column.checkpoint(), variables[column])
        bias = _bias(num_outputs, weight_collections, trainable)
        return tf.nn.bias_add(tf.add_n(outputs), bias), variables, bias


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: dict[Any, Any],
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tuple[Any, list[Any], Any]:
    """Makes a linear model of categories with one variable for all weights.

    Args:
        columns_to_tensors: the features by their names.
        feature_columns: the columns, without weights and combined by "sum".
        num_outputs: how many predictions an example has.
        weight_collections: collections that variables are added to.
        trainable: whether variables are trained.
        scope: of the variables, "joint_weighted_sum_from_feature_columns" by default.

    Returns:
        The predictions, float32 [batch_size, num_outputs]; the variable's parts; the bias.

    Raises:
        NotImplementedError: a column has no categories.
        ValueError: one has weights, or another combiner.
    """
    features = dict(columns_to_tensors)
    values = _tensors(features)
    sparse, rows = [], 0
    with tf.variable_scope(scope, "joint_weighted_sum_from_feature_columns", values):
        for column in sorted_columns(feature_columns):
            lookup = column.wide_lookup(column_base.LazyTensors(features).get(column))
            if lookup is None:
                raise NotImplementedError(
                    "Real-valued columns are not supported. Use weighted_sum_from_feature_columns "
                    "instead, or bucketize these columns."
                )
            if lookup.weights is not None or lookup.combiner != "sum":
                raise ValueError(
                    "Joint sums for weighted sparse columns, and combiners other than sum, are not "
                    "supported. Please use weighted_sum_from_feature_columns instead."
                )
            ids = lookup.ids
            moved = tf.cast(ids.values, tf.int64) + rows
            sparse.append(tf.SparseTensor(ids.indices, moved, ids.dense_shape))
            rows += lookup.rows
        joined = tf.sparse.concat(1, sparse)
        with tf.variable_scope(None, "linear_weights", values):
            weights = _zeros("weights", [rows, num_outputs], weight_collections, trainable)
            output = tf.nn.safe_embedding_lookup_sparse(weights, joined, combiner="sum")
        bias = _bias(num_outputs, weight_collections, trainable)
        return tf.nn.bias_add(output, bias), weights, bias


def parse_feature_columns_from_examples(
    serialized: Any, feature_columns: Iterable[Any], name: Any = None, example_names: Any = None
) -> dict[Any, Any]:
    """Parses examples.

    Args:
        serialized: strings [batch_size], serialized tf.train.Examples.
        feature_columns: what to read, and to transform.
        name: of the operation.
        example_names: strings [batch_size], for messages.

    Returns:
        The tensors of the features by their names, and of the columns.
    """
    columns = sorted_columns(feature_columns)
    features: dict[Any, Any] = tf.parse_example(
        serialized, column_base.create_feature_spec_for_parsing(columns), name, example_names
    )
    for column in columns:
        column_base.LazyTensors(features).get(column)
    return features


def transform_features(features: dict[Any, Any], feature_columns: Iterable[Any]) -> dict[Any, Any]:
    """Returns the tensors of columns, by the column.

    Args:
        features: by their names.
        feature_columns: the columns.
    """
    tensors = dict(features)
    columns = sorted_columns(feature_columns)
    return {column: column_base.LazyTensors(tensors).get(column) for column in columns}


def make_place_holder_tensors_for_base_features(feature_columns: Any) -> dict[str, Any]:
    """Returns placeholders for the features that columns read, by their names."""
    placeholders = {}
    for name, feature in column_base.create_feature_spec_for_parsing(feature_columns).items():
        if isinstance(feature, tf.VarLenFeature):
            placeholder = tf.sparse_placeholder(feature.dtype, name=f"Placeholder_{name}")
        else:
            shape = (None, feature.shape[0])
            placeholder = tf.placeholder(feature.dtype, shape, name=f"Placeholder_{name}")
        placeholders[name] = placeholder
    return placeholders


def infer_real_valued_columns(features: Any) -> list[Any]:
    """Returns a column of numbers for every feature.

    Args:
        features: tensors of numbers by their names; or one, whose name is "".

    Raises:
        ValueError: one is sparse, or no number.
    """
    named = features if isinstance(features, dict) else {"": features}
    columns = []
    for name, tensor in named.items():
        if isinstance(tensor, tf.SparseTensor):
            raise ValueError(
                "SparseTensor is not supported for auto detection. Please define corresponding "
                f"FeatureColumn for tensor {name} {tensor}."
            )
        if not (tensor.dtype.is_integer or tensor.dtype.is_floating):
            raise ValueError(
                "Non integer or non floating types are not supported for auto detection. Please "
                f"define corresponding FeatureColumn for tensor {name} {tensor}."
            )
        size = tensor.shape[1:].num_elements()
        columns.append(real_valued_column(name, dimension=size, dtype=tensor.dtype))
    return columns


def check_feature_columns(feature_columns: Any) -> None:
    """Raises ValueError if columns are a dictionary, or two of them are the same."""
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    seen = set()
    for column in feature_columns:
        if column.key in seen:
            raise ValueError(
                f"Duplicate feature column key found for column: {column.name}. This usually means "
                "that the column is almost identical to another column, and one must be discarded."
            )
        seen.add(column.key)


def sorted_columns(feature_columns: Iterable[Any]) -> list[Any]:
    """Returns columns in the order in which tf.contrib.layers takes them."""
    columns = feature_columns if isinstance(feature_columns, dict) else list(feature_columns)
    check_feature_columns(columns)
    return sorted(set(columns), key=lambda column: column.key)


def _weighted(
    column: Any, tensor: Any, num_outputs: int, collections: Any, trainable: bool
) -> tuple[Any, list[Any]]:
    """Returns the part of a linear model that one column has, and its variables."""
    if (lookup := column.wide_lookup(tensor)) is None:
        matrix = column_base.as_matrix(tensor, column.name)
        shape = [matrix.shape.as_list()[1], num_outputs]
        weights = _zeros("weight", shape, collections, trainable)
        return tf.matmul(matrix, tf.concat(weights, 0), name="matmul"), weights
    weights = _zeros("weights", [lookup.rows, num_outputs], collections, trainable)
    output = tf.nn.safe_embedding_lookup_sparse(
        weights,
        lookup.ids,
        sparse_weights=lookup.weights,
        combiner=lookup.combiner,
        name=f"{column.name}_weights",
    )
    return output, weights


def _zeros(name: str, shape: list[int], collections: Any, trainable: bool) -> list[Any]:
    """Returns the parts of a variable of zeros."""
    return column_base.parts_of(_variable(name, shape, collections, trainable))


def _bias(num_outputs: int, collections: Any, trainable: bool) -> Any:
    return _variable("bias_weight", [num_outputs], _with_global(collections), trainable)


def _variable(name: str, shape: list[int], collections: Any, trainable: bool) -> Any:
    zeros = tf.zeros_initializer()
    return load_tf_slim().model_variable(
        name, shape, tf.float32, zeros, trainable=trainable, collections=collections
    )


def _with_global(collections: Any) -> Any:
    """Returns collections, if there are any, with that of all variables."""
    return list({*collections, tf.GraphKeys.GLOBAL_VARIABLES}) if collections else collections


def _tensors(features: dict[Any, Any]) -> list[Any]:
    """Returns all tensors in a dictionary, those of weighted columns one by one."""
    return [part for value in features.values() for part in tf.nest.flatten(value)]
