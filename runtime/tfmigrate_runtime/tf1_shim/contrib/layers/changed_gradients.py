"""What ``optimize_loss`` does to gradients: noise, factors, and clipping by norms that there were.

Gradients are tensors, IndexedSlices, or None where the loss does not depend on the variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_ops import moving_averages

Pairs = list[tuple[Any, Any]]


def clipped_by_norm(pairs: Iterable[tuple[Any, Any]], limit: float) -> Pairs:
    """Scales all gradients so that their global norm is at most the limit."""
    gradients, variables = zip(*pairs, strict=True)
    clipped, _ = tf.clip_by_global_norm(gradients, limit)
    return list(zip(clipped, variables, strict=True))


def noisy(pairs: Iterable[tuple[Any, Any]], scale: float) -> Pairs:
    """Adds truncated normal noise times ``scale``; IndexedSlices become dense."""
    noisy_pairs = []
    for gradient, variable in pairs:
        if gradient is None:
            noisy_pairs.append((None, variable))
            continue
        sparse = isinstance(gradient, tf.IndexedSlices)
        shape = gradient.dense_shape if sparse else gradient.shape
        noise = tf.truncated_normal(shape) * scale
        noisy_pairs.append((tf.convert_to_tensor(gradient) + noise, variable))
    return noisy_pairs


def multiplied(pairs: Iterable[tuple[Any, Any]], multipliers: Any) -> Pairs:
    """Multiplies gradients by the factors that are given by variable, or by its name."""
    by_variable = {id(key): factor for key, factor in multipliers.items()}
    scaled_pairs = []
    for gradient, variable in pairs:
        factor = by_variable.get(id(variable))
        if factor is None:
            names = (key for key in multipliers if isinstance(key, str) and key == variable.name)
            factor = next((multipliers[name] for name in names), None)
        if gradient is not None and factor is not None:
            if isinstance(gradient, tf.IndexedSlices):
                gradient = _scaled(gradient, factor)
            else:
                gradient *= tf.cast(factor, gradient.dtype)
        scaled_pairs.append((gradient, variable))
    return scaled_pairs


def adaptive_clipping_fn(
    std_factor: float = 2.0,
    decay: Any = 0.95,
    static_max_norm: float | None = None,
    global_step: Any = None,
    report_summary: bool = False,
    epsilon: float = 1e-8,
    name: str | None = None,
) -> Callable[[Iterable[tuple[Any, Any]]], Pairs]:
    """Returns a function that clips gradients by the norms that they had (arXiv:1412.1602, 3.2.1).

    Gradients whose norm is above exp(mean + std_factor * deviation) of the logarithms so far are
    scaled to the norm exp(mean).

    Args:
        std_factor: how many deviations are allowed.
        decay: that of the moving averages; n / (n + 1) at step n where that is less.
        static_max_norm: another limit, None for none.
        global_step: needed for n.
        report_summary: whether the limit is reported.
        epsilon: the smallest variance, and what is added to the norm.
        name: the scope, "AdaptiveMaxNorm" by default.
    """

    def clip(pairs: Iterable[tuple[Any, Any]]) -> Pairs:
        gradients, variables = zip(*pairs, strict=True)
        norm = tf.global_norm(gradients)
        limit, mean = _limit(norm, std_factor, decay, global_step, epsilon, name)
        if report_summary:
            tf.summary.scalar("global_norm/adaptive_max_gradient_norm", limit)
        factor = tf.where(norm < limit, tf.ones_like(norm), tf.exp(mean) / norm)
        if static_max_norm is not None:
            factor = tf.minimum(static_max_norm / norm, factor)
        return [(_scaled(g, factor), v) for g, v in zip(gradients, variables, strict=True)]

    return clip


def _limit(
    norm: Any, std_factor: float, decay: Any, global_step: Any, epsilon: float, name: str | None
) -> tuple[Any, Any]:
    """Moves the averages on; returns the largest norm, and the mean of the logarithm of norms."""
    with tf.variable_scope(name, "AdaptiveMaxNorm", [norm]):
        logarithm = tf.log(norm + epsilon)
        if global_step is not None:
            n = tf.cast(global_step, tf.float32)
            decay = tf.minimum(decay, n / (n + 1.0))

        def average(of: str, value: Any) -> Any:
            zeros = tf.zeros_initializer()
            variable = tf.get_variable(of, value.shape, value.dtype, zeros, trainable=False)
            return moving_averages.assign_moving_average(variable, value, decay, zero_debias=False)

        mean = average("mean", logarithm)
        squares = average("sq_mean", tf.square(logarithm))
        deviation = tf.sqrt(tf.maximum(epsilon, squares - tf.square(mean)))
        return tf.exp(mean + std_factor * deviation), mean


def _scaled(gradient: Any, factor: Any) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        values = gradient.values * factor
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return None if gradient is None else gradient * factor
