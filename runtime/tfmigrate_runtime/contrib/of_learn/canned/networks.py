"""The logits of contrib.learn's networks and linear models, under its names of variables."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim
from tfmigrate_runtime.contrib.columns import feature_inputs
from tfmigrate_runtime.contrib.columns.column_base import FeatureColumn
from tfmigrate_runtime.contrib.columns.embedding_columns import _EmbeddingColumn
from tfmigrate_runtime.contrib.of_learn.model_fn import ModeKeys

# Parts of variables are no smaller than this, in bytes.
SLICE = 64 << 20
_ACTIVATIONS = {"relu": tf.nn.relu, "tanh": tf.nn.tanh, "sigmoid": tf.nn.sigmoid}


def slim_layers() -> Any:
    """Returns the module of the layers of tf_slim."""
    load_tf_slim()
    # Not ``tf_slim.layers``, the attribute: that is the module tf_slim.layers.layers.
    return importlib.import_module("tf_slim.layers")


def features_by_name(features: Any) -> dict[str, Any]:
    """Returns features; one without a name has the name ""."""
    return features if isinstance(features, dict) else {"": features}


def made(optimizer: Any) -> Any:
    """Returns an optimizer, or a name of one; a function of neither makes it in the model."""
    is_function = callable(optimizer) and not isinstance(optimizer, (str, tf.train.Optimizer))
    return optimizer() if is_function else optimizer


def partitioner(config: Any, slice_size: int | None = None) -> Any:
    """Returns how variables are cut into parts: one a parameter server at most.

    Without servers they have one part each, and its name ("weights/part_0").
    """
    # A partitioner even for one part: checkpoints of TensorFlow 1.x have its name.
    parts = max(1, getattr(config, "num_ps_replicas", 0) or 0)
    if slice_size is None:
        return tf.min_max_variable_partitioner(max_partitions=parts)
    return tf.min_max_variable_partitioner(max_partitions=parts, min_slice_size=slice_size)


def dnn_logits(
    features: Mapping[str, Any],
    columns: Sequence[Any],
    units: int,
    mode: str,
    params: Mapping[str, Any],
    config: Any,
    tag_end: str,
) -> tuple[Any, str]:
    """Makes a network, in the variable scope that is open.

    Args:
        features: by name.
        columns: what of them it takes.
        units: how many logits an example has.
        mode: dropout is for training only.
        params: hidden_units, activation_fn, dropout, and how the input's variables are cut:
            input_layer_min_slice_size or input_layer_partitioner.
        config: the RunConfig.
        tag_end: what stands between a layer's name and that of a summary.

    Returns:
        The logits, float [batch_size, units], and the name of the scope of the input.
    """
    scope_name = "input_from_feature_columns"
    slices = params.get("input_layer_partitioner") or partitioner(
        config, params.get("input_layer_min_slice_size") or SLICE
    )
    layers: Any = slim_layers()
    with tf.variable_scope(scope_name, partitioner=slices) as input_scope:
        net = _input(features, columns, input_scope)
    activation = _activation(params.get("activation_fn"))
    for index, width in enumerate(params["hidden_units"]):
        with tf.variable_scope(f"hiddenlayer_{index}") as scope:
            net = layers.fully_connected(
                net, width, activation_fn=activation, variables_collections=["dnn"], scope=scope
            )
            if params.get("dropout") is not None and mode == ModeKeys.TRAIN:
                net = layers.dropout(net, keep_prob=1.0 - params["dropout"])
        summarize(net, scope.name + tag_end)
    with tf.variable_scope("logits") as scope:
        logits = layers.fully_connected(
            net, units, activation_fn=None, variables_collections=["dnn"], scope=scope
        )
    summarize(logits, scope.name + tag_end)
    return logits, input_scope.name


def linear_logits(
    features: Mapping[str, Any], columns: Sequence[Any], units: int, joint: bool, scope: Any
) -> Any:
    """Makes a linear model, in a variable scope that is open; joint weights are one variable."""
    if not all(isinstance(column, FeatureColumn) for column in columns):
        return tf.feature_column.linear_model(
            features=features, feature_columns=columns, units=units, weight_collections=["linear"]
        )
    layer = (
        feature_inputs.joint_weighted_sum_from_feature_columns
        if joint
        else feature_inputs.weighted_sum_from_feature_columns
    )
    logits, _, _ = layer(dict(features), columns, units, weight_collections=["linear"], scope=scope)
    return logits


def learning_rate_factors(
    factors: Mapping[Any, float] | None, input_scope: str
) -> dict[Any, float] | None:
    """Returns by what gradients of variables are multiplied, from factors of embedding columns.

    Raises:
        ValueError: a column is not an embedding, or not in the model.
    """
    if not factors:
        return None
    by_variable = {}
    for column, factor in factors.items():
        if not isinstance(column, _EmbeddingColumn):
            raise ValueError(
                "learning rate multipler can only be defined for embedding columns. "
                f"It is defined for {column}"
            )
        if not (variables := tf.get_collection("dnn", f"{input_scope}/{column.name}")):
            raise ValueError(f"Couldn't find a variable for column {column}")
        by_variable.update(dict.fromkeys(variables, factor))
    return by_variable


def summarize(value: Any, tag: str) -> None:
    """Adds the summaries of a layer; their names start with the tag."""
    tf.summary.scalar(f"{tag}fraction_of_zero_values", tf.nn.zero_fraction(value))
    tf.summary.histogram(f"{tag}activation", value)


def _input(features: Mapping[str, Any], columns: Sequence[Any], scope: Any) -> Any:
    """Returns the input of a network, by columns of tf.contrib.layers or of tf.feature_column."""
    if all(isinstance(column, FeatureColumn) for column in columns):
        return feature_inputs.input_from_feature_columns(
            dict(features), columns, weight_collections=["dnn"], scope=scope
        )
    return tf.feature_column.input_layer(
        features=features, feature_columns=columns, weight_collections=["dnn"]
    )


def _activation(activation: Callable[[Any], Any] | str | None) -> Any:
    """Returns an activation function, relu where there is none.

    Raises:
        ValueError: a name is not known.
    """
    if isinstance(activation, str):
        if activation not in _ACTIVATIONS:
            known = ", ".join(_ACTIVATIONS)
            raise ValueError(
                f"Activation name should be one of [{known}], you provided {activation}."
            )
        return _ACTIVATIONS[activation]
    return activation
