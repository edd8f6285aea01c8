"""The layers of tf.contrib.learn's first models, with their losses: ``learn.models``."""

from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "linear_regression", "linear_regression_zero_init", "logistic_regression",
    "logistic_regression_zero_init",
]  # fmt: skip


def linear_regression(
    x: Any, y: Any, init_mean: float | None = None, init_stddev: float = 1.0
) -> tuple[Any, Any]:
    """Returns the predictions of a linear layer, and their mean squared error.

    Args:
        x: features [rows, n].
        y: labels [rows], or [rows, m].
        init_mean: mean of the normal distribution that weights start from; None for that of
            ``tf.get_variable``.
        init_stddev: its deviation.
    """
    size = 1 if len(y.shape) == 1 else int(y.shape[1])
    with tf.variable_scope("linear_regression"):
        weights, bias = _variables(x, y, size, init_mean, init_stddev)
        with tf.name_scope(None, "mean_squared_error_regressor", [x, y]):
            predictions = tf.nn.xw_plus_b(x, weights, bias)
            if len(y.shape) == 1:
                predictions = tf.squeeze(predictions, axis=[1])
            return predictions, tf.losses.mean_squared_error(y, predictions)


def linear_regression_zero_init(x: Any, y: Any) -> tuple[Any, Any]:
    """Returns what :func:`linear_regression` does, starting from zeros."""
    return linear_regression(x, y, init_mean=0.0, init_stddev=0.0)


def logistic_regression(
    x: Any,
    y: Any,
    class_weight: Any = None,
    init_mean: float | None = None,
    init_stddev: float = 1.0,
) -> tuple[Any, Any]:
    """Returns the probabilities of a softmax layer, and their cross entropy.

    Args:
        x: features [rows, n].
        y: labels [rows, classes], one-hot.
        class_weight: what the logits are multiplied by, [classes]; by default the graph's tensor
            ``class_weight:0``, if it has one.
        init_mean: as in :func:`linear_regression`.
        init_stddev: as in :func:`linear_regression`.
    """
    with tf.variable_scope("logistic_regression"):
        weights, bias = _variables(x, y, int(y.shape[-1]), init_mean, init_stddev)
        if class_weight is None:
            class_weight = _tensor_of_graph("class_weight:0")
        with tf.name_scope(None, "softmax_classifier", [x, y]):
            logits = tf.nn.xw_plus_b(x, weights, bias)
            if class_weight is not None:
                logits = tf.multiply(logits, class_weight)
            return tf.nn.softmax(logits), tf.losses.softmax_cross_entropy(y, logits)


def logistic_regression_zero_init(x: Any, y: Any) -> tuple[Any, Any]:
    """Returns what :func:`logistic_regression` does, starting from zeros."""
    return logistic_regression(x, y, init_mean=0.0, init_stddev=0.0)


def _variables(
    x: Any, y: Any, size: int, init_mean: float | None, init_stddev: float
) -> tuple[Any, Any]:
    """Returns weights and bias of a layer, and writes summaries of all."""
    scope = tf.get_variable_scope().name
    tf.summary.histogram(f"{scope}.x", x)
    tf.summary.histogram(f"{scope}.y", y)
    dtype = x.dtype.base_dtype
    initializer = None
    if init_mean is not None:
        initializer = tf.random_normal_initializer(init_mean, init_stddev, dtype=dtype)
    shape = [int(x.shape[1]), size]
    weights = tf.get_variable("weights", shape, dtype, initializer)
    bias = tf.get_variable("bias", [size], dtype, initializer)
    tf.summary.histogram(f"{scope}.weights", weights)
    tf.summary.histogram(f"{scope}.bias", bias)
    return weights, bias


def _tensor_of_graph(name: str) -> Any:
    try:
        return tf.get_default_graph().get_tensor_by_name(name)
    except KeyError:
        return None
