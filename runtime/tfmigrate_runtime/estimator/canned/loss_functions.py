"""Losses that a caller passes to a head."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned.labels_and_weights import is_shape

_REQUIRED = ("labels", "logits")
# TensorFlow 1.15 allows loss_reduction among the arguments, and never gives it.
_KNOWN = {*_REQUIRED, "features", "loss_reduction"}


def check_arguments(loss_fn: Callable[..., Any]) -> None:
    """Checks what a loss function takes.

    Raises:
        ValueError: it does not take labels and logits, or takes something that no head has.
    """
    names = _arguments(loss_fn)
    for required in _REQUIRED:
        if required not in names:
            raise ValueError(f"loss_fn must contain argument: {required}. Given arguments: {names}")
    unknown = [name for name in names if name not in _KNOWN]
    if unknown:
        raise ValueError(f"loss_fn has unexpected args: {unknown}")


def unreduced_loss(
    loss_fn: Callable[..., Any],
    labels: Any,
    logits: Any,
    features: Mapping[str, Any],
    dimension: int,
) -> Any:
    """Returns what a loss function returns, with a check of its shape when the graph is run.

    Args:
        loss_fn: takes labels and logits, and features if it has such an argument.
        labels: as the head's own loss takes them.
        logits: float tensor [..., logits_dimension].
        features: tensors by name.
        dimension: the size of the last axis of the loss.

    Returns:
        Float tensor [..., dimension].
    """
    others = {"features": features} if "features" in _arguments(loss_fn) else {}
    loss = tf.convert_to_tensor(loss_fn(labels=labels, logits=logits, **others))
    logits_shape, actual = tf.shape(logits), tf.shape(loss)
    expected = tf.concat([logits_shape[:-1], [dimension]], axis=0)
    message = f"loss_fn must return Tensor of shape [D0, D1, ... DN, {dimension}]. "
    same = tf.Assert(
        is_shape(actual, expected),
        [message, "logits_shape: ", logits_shape, "loss_shape: ", actual],
    )
    with tf.control_dependencies([same]):
        return tf.identity(loss)


def _arguments(function: Callable[..., Any]) -> tuple[str, ...]:
    bound_names = set(function.keywords) if isinstance(function, functools.partial) else set()
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return tuple(
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind in by_name and name not in bound_names
    )
