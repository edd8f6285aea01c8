"""What may be done to gradients before they are applied: noise, factors, clipping.

A gradient is a tensor, IndexedSlices, or None where the loss does not depend on the variable.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import moving_averages

GradientsAndVariables = Sequence[tuple[Any, Any]]


def clip_by_norm(
    grads_and_vars: GradientsAndVariables, clip_gradients: float
) -> GradientsAndVariables:
    """Scales all gradients so that their global norm is not above a limit."""
    pairs = list(grads_and_vars)
    clipped, _ = tf.clip_by_global_norm([g for g, _ in pairs], clip_gradients)
    return [(g, variable) for g, (_, variable) in zip(clipped, pairs, strict=True)]


def with_noise(gradients: GradientsAndVariables, scale: float) -> GradientsAndVariables:
    """Adds truncated normal noise, times a scale; IndexedSlices become dense by it."""

    def noisy(gradient: Any) -> Any:
        if gradient is None:
            return None
        slices = isinstance(gradient, tf.IndexedSlices)
        shape = gradient.dense_shape if slices else gradient.shape
        return tf.convert_to_tensor(gradient) + tf.truncated_normal(shape) * scale

    return [(noisy(gradient), variable) for gradient, variable in gradients]


def multiply(
    gradients: GradientsAndVariables, multipliers: Mapping[Any, Any]
) -> GradientsAndVariables:
    """Multiplies gradients by factors, which are given by variable or by its name."""

    def multiplied(gradient: Any, variable: Any) -> Any:
        # By identity: variables of TensorFlow 2 may be neither hashed nor compared.
        of_variable = [factor for key, factor in multipliers.items() if key is variable]
        of_name = [
            factor
            for key, factor in multipliers.items()
            if isinstance(key, str) and key == variable.name
        ]
        factors = of_variable or of_name
        return gradient if gradient is None or not factors else _times(gradient, factors[0])

    return [(multiplied(gradient, variable), variable) for gradient, variable in gradients]


def adaptive_clipping_fn(
    std_factor: float = 2.0,
    decay: float = 0.95,
    static_max_norm: float | None = None,
    global_step: Any = None,
    report_summary: bool = False,
    epsilon: float = 1e-8,
    name: str | None = None,
) -> Callable[[GradientsAndVariables], GradientsAndVariables]:
    """Returns a function that clips by norms that there were (arXiv:1412.1602, section 3.2.1).

    It averages mean and deviation of the logarithm of the gradients' global norm. Where the norm is
    above exp(mean + std_factor * deviation), the gradients are scaled so that it is exp(mean).

    Args:
        std_factor: how many deviations the norm may be above the mean.
        decay: that of the averages.
        static_max_norm: a limit of the norm besides, or None.
        global_step: with it the averages begin with a decay of n / (n + 1) at step n.
        report_summary: whether the limit is reported.
        epsilon: the least variance, and what is added to norms before the logarithm.
        name: the scope of the averages, "AdaptiveMaxNorm" by default.

    Returns:
        From (gradient, variable) pairs to such pairs.
    """

    def clip(gradients: GradientsAndVariables) -> GradientsAndVariables:
        norm = tf.linalg.global_norm([g for g, _ in gradients])
        limit, mean = _adaptive_limit(norm, std_factor, decay, global_step, epsilon, name)
        if report_summary:
            tf.summary.scalar("global_norm/adaptive_max_gradient_norm", limit)
        factor = tf.where(norm < limit, tf.ones_like(norm), tf.exp(mean) / norm)
        if static_max_norm is not None:
            factor = tf.minimum(static_max_norm / norm, factor)
        return [(None if g is None else _times(g, factor), variable) for g, variable in gradients]

    return clip


def _adaptive_limit(
    norm: Any, std_factor: float, decay: Any, global_step: Any, epsilon: float, name: str | None
) -> tuple[Any, Any]:
    """Updates the averages; returns the limit of the norm and the mean of its logarithm."""
    with tf.variable_scope(name, "AdaptiveMaxNorm", [norm]):
        logarithm = tf.math.log(norm + epsilon)
        if global_step is not None:
            step = tf.cast(global_step, tf.float32)
            decay = tf.minimum(decay, step / (step + 1.0))
        mean = _moving_average("mean", logarithm, decay)
        mean_of_squares = _moving_average("sq_mean", tf.square(logarithm), decay)
        deviation = tf.sqrt(tf.maximum(epsilon, mean_of_squares - tf.square(mean)))
        return tf.exp(mean + std_factor * deviation), mean


def _moving_average(name: str, value: Any, decay: Any) -> Any:
    """Returns the average of a value in all steps; replicas have the mean of theirs."""
    average = tf.get_variable(
        name,
        shape=value.shape,
        dtype=value.dtype,
        initializer=tf.zeros_initializer(),
        trainable=False,
        # Each replica has its own norm, as each tower had.
        aggregation=tf.VariableAggregation.MEAN,
    )

    def move(variable: Any, moved_to: Any, share_kept: Any) -> Any:
        return variable.assign_sub((1.0 - share_kept) * (variable - moved_to))

    with tf.control_dependencies([moving_averages.as_often_as_towers(move)(average, value, decay)]):
        return tf.identity(average)


def _times(gradient: Any, factor: Any) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        values = gradient.values * factor
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return gradient * tf.cast(factor, gradient.dtype)
