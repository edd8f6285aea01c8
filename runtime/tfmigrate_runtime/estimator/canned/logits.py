"""Logits of features: a deep network, and a linear model, with the variables of tf.estimator."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.mode_keys import ModeKeys

_MINIMUM_BYTES_OF_A_PART = 64 << 20
# Not the layer's own 0.99: that of tf.contrib.layers, which TensorFlow 1.15 took here.
_MOMENTUM_OF_BATCH_NORMALIZATION = 0.999


def partitioner_of(partitioner: Any, config: Any, **limits: int) -> Any:
    """Returns a partitioner of variables.

    Args:
        partitioner: the caller's, or None for one part a parameter server.
        config: the RunConfig.
        **limits: arguments of ``tf.min_max_variable_partitioner``.

    Returns:
        The partitioner. Without parameter servers it makes one part, as in TensorFlow 1.15: slots
        in checkpoints are named after it.
    """
    servers = config.num_ps_replicas if config is not None else 0
    if partitioner is not None:
        return partitioner
    return tf.min_max_variable_partitioner(max_partitions=servers, **limits)


def input_partitioner_of(partitioner: Any, config: Any) -> Any:
    """Returns the partitioner of the variables next to the input; parts have at least 64 MB."""
    return partitioner_of(partitioner, config, min_slice_size=_MINIMUM_BYTES_OF_A_PART)


def checked_features(features: Any) -> Mapping[str, Any]:
    """Returns features that are tensors by name.

    Raises:
        ValueError: they are something else.
    """
    if not isinstance(features, Mapping):
        raise ValueError(
            f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
        )
    return features


def dnn_logits(
    features: Mapping[str, Any],
    mode: str,
    units: int,
    hidden_units: Sequence[int],
    feature_columns: Sequence[Any],
    activation_fn: Callable[[Any], Any] | None,
    dropout: float | None,
    input_layer_partitioner: Any,
    batch_norm: bool,
) -> Any:
    """Returns the logits of a fully connected network; variables are in the current scope.

    Args:
        features: tensors by name.
        mode: one of ModeKeys; dropout and batch statistics are used in TRAIN.
        units: the size of the last axis of the logits.
        hidden_units: of every layer.
        feature_columns: dense columns.
        activation_fn: of every hidden layer.
        dropout: the probability that an activation is dropped, None for no dropout.
        input_layer_partitioner: of the columns' variables.
        batch_norm: whether every layer is followed by a batch normalisation.

    Returns:
        Float tensor [batch, units].
    """
    training = mode == ModeKeys.TRAIN
    with tf.variable_scope("input_from_feature_columns", partitioner=input_layer_partitioner):
        net = tf.feature_column.input_layer(features, list(feature_columns))
    for index, width in enumerate(hidden_units):
        with tf.variable_scope(f"hiddenlayer_{index}") as scope:
            net = _dense(net, width, activation_fn, scope)
            if dropout is not None and training:
                net = tf.layers.dropout(net, rate=dropout, training=True)
            if batch_norm:
                net = tf.layers.batch_normalization(
                    net,
                    momentum=_MOMENTUM_OF_BATCH_NORMALIZATION,
                    training=training,
                    name=f"batchnorm_{index}",
                )
        summarize(scope.name, net)
    with tf.variable_scope("logits") as scope:
        logits = _dense(net, units, None, scope)
    summarize(scope.name, logits)
    return logits


def linear_logits(
    features: Mapping[str, Any], units: int, feature_columns: Sequence[Any], sparse_combiner: str
) -> Any:
    """Returns the logits of a linear model; variables are in the current scope.

    Args:
        features: tensors by name.
        units: the size of the last axis of the logits.
        feature_columns: dense or categorical columns.
        sparse_combiner: "sum", "mean" or "sqrtn", for categorical columns with several values.

    Returns:
        Float tensor [batch, units].
    """
    of_columns: dict[Any, Any] = {}
    logits = tf.feature_column.linear_model(
        features,
        list(feature_columns),
        units=units,
        sparse_combiner=sparse_combiner,
        cols_to_vars=of_columns,
    )
    bias = of_columns.pop("bias")[0]
    if units > 1:
        tf.summary.histogram("bias", bias)
    else:
        tf.summary.scalar("bias", tf.reshape(bias, []))
    weights = [tf.reshape(part, [-1]) for parts in of_columns.values() for part in parts]
    if weights:
        tf.summary.scalar("fraction_of_zero_weights", tf.nn.zero_fraction(tf.concat(weights, 0)))
    return logits


def _dense(net: Any, units: int, activation: Any, scope: Any) -> Any:
    return tf.layers.dense(
        net,
        units,
        activation=activation,
        kernel_initializer=tf.glorot_uniform_initializer(),
        name=scope,
    )


def summarize(tag: str, activations: Any) -> None:
    """Writes what TensorFlow 1.x wrote of the values of a layer."""
    tf.summary.scalar(f"{tag}/fraction_of_zero_values", tf.nn.zero_fraction(activations))
    tf.summary.histogram(f"{tag}/activation", activations)
