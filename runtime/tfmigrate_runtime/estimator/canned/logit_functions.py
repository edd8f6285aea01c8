"""The networks of the canned models alone (``tf.estimator.experimental``)."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned.logits import checked_features, dnn_logits, linear_logits
from tfmigrate_runtime.train.passed_on import pass_on


def dnn_logit_fn_builder(
    units: int,
    hidden_units: Sequence[int],
    feature_columns: Sequence[Any],
    activation_fn: Callable[[Any], Any] | None,
    dropout: float | None,
    input_layer_partitioner: Any,
    batch_norm: bool,
) -> Callable[..., Any]:
    """Returns a function of (features, mode) that gives the logits of a network.

    Args:
        units: the size of the last axis of the logits.
        hidden_units: of every layer.
        feature_columns: dense columns.
        activation_fn: of every hidden layer.
        dropout: the probability that an activation is dropped, None for no dropout.
        input_layer_partitioner: of the columns' variables.
        batch_norm: whether every layer is followed by a batch normalisation.

    Raises:
        ValueError: units is not an int.
    """
    _check_units(units)

    def dnn_logit_fn(features: Any, mode: str) -> Any:
        layers = units, hidden_units, feature_columns, activation_fn, dropout
        checked = checked_features(features)
        return dnn_logits(checked, mode, *layers, input_layer_partitioner, batch_norm)

    return dnn_logit_fn


def linear_logit_fn_builder(
    units: int, feature_columns: Sequence[Any], sparse_combiner: str = "sum"
) -> Callable[..., Any]:
    """Returns a function of features that gives the logits of a linear model.

    Args:
        units: the size of the last axis of the logits.
        feature_columns: dense or categorical columns.
        sparse_combiner: "sum", "mean" or "sqrtn", for categorical columns with several values.
    """
    _check_units(units)

    def linear_logit_fn(features: Any) -> Any:
        return linear_logits(checked_features(features), units, feature_columns, sparse_combiner)

    return linear_logit_fn


def call_logit_fn(
    logit_fn: Callable[..., Any], features: Any, mode: str, params: Any, config: Any
) -> Any:
    """Calls a logit function with those of mode, params and config that it takes.

    Returns:
        A float tensor [batch, units], or tensors by the name of a head.

    Raises:
        ValueError: it returned something else.
    """
    offered = {"mode": mode, "params": params, "config": config}
    logits = pass_on(logit_fn, offered, features=features)
    by_name = logits if isinstance(logits, dict) else {"": logits}
    if not all(
        isinstance(name, str) and isinstance(value, tf.Tensor) for name, value in by_name.items()
    ):
        raise ValueError(
            "logit_fn should return a Tensor or a dictionary mapping strings to Tensors, "
            f"given: {logits}"
        )
    return logits


def _check_units(units: int) -> None:
    if not isinstance(units, int):
        raise ValueError(f"units must be an int. Given type: {type(units)}")
