"""tf.contrib.mixed_precision on TensorFlow 2: scales the loss, and unscales the gradients.

The source of the meaning is contrib/mixed_precision/python of TensorFlow 1.15. It works where one
device trains; under a strategy an optimizer cannot skip a step in tf.cond.
"""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow

__all__ = [
    "ExponentialUpdateLossScaleManager",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaleOptimizer",
]


class LossScaleManager:
    """What knows the scale of the loss.

    Subclasses have ``get_loss_scale()``, which returns float32 [], and
    ``update_loss_scale(finite_grads)``, which returns an operation for bool [].
    """


class FixedLossScaleManager(LossScaleManager):
    """A scale that stays."""

    def __init__(self, loss_scale: float) -> None:
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        self._loss_scale = tf.convert_to_tensor(loss_scale, tf.float32)

    def get_loss_scale(self) -> Any:
        """Returns the scale, float32 []."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Any) -> Any:
        """Returns an operation that does nothing."""
        return tf.no_op()


class ExponentialUpdateLossScaleManager(LossScaleManager):
    """A scale that grows while gradients are finite, and shrinks where they are not."""

    def __init__(
        self,
        init_loss_scale: float,
        incr_every_n_steps: int,
        decr_every_n_nan_or_inf: int = 2,
        incr_ratio: float = 2,
        decr_ratio: float = 0.8,
    ) -> None:
        """Makes the variables "loss_scale", "good_steps" and "bad_steps".

        Args:
            init_loss_scale: the scale at the beginning.
            incr_every_n_steps: after how many finite steps it grows.
            decr_every_n_nan_or_inf: after how many other steps it shrinks.
            incr_ratio: by what it is multiplied then.
            decr_ratio: by what it is multiplied then.
        """
        self._incr_every, self._decr_every = incr_every_n_steps, decr_every_n_nan_or_inf
        self._incr_ratio, self._decr_ratio = incr_ratio, decr_ratio
        start = tf.convert_to_tensor(init_loss_scale, tf.float32)
        self._scale = tf.Variable(start, trainable=False, name="loss_scale", dtype=tf.float32)
        self._good = tf.Variable(0, trainable=False, name="good_steps", dtype=tf.int32)
        self._bad = tf.Variable(0, trainable=False, name="bad_steps", dtype=tf.int32)

    def get_loss_scale(self) -> Any:
        """Returns the scale, float32 []."""
        return self._scale

    def update_loss_scale(self, finite_grads: Any) -> Any:
        """Returns the operation that changes the scale, for whether gradients are finite."""
        scale = tf.identity(self._scale)
        good = tf.where(finite_grads, self._good + 1, 0)
        bad = tf.where(finite_grads, self._bad, self._bad + 1)
        grows, shrinks = good >= self._incr_every, bad >= self._decr_every
        larger = scale * self._incr_ratio
        larger = tf.where(tf.is_finite(larger), larger, scale)
        smaller = tf.maximum(1.0, scale * self._decr_ratio)
        shrinks = tf.logical_and(shrinks, tf.logical_not(finite_grads))
        new = tf.where(grows, larger, tf.where(shrinks, smaller, scale))
        reset = tf.logical_or(grows, shrinks)
        with tf.control_dependencies([new, good, bad]):
            return tf.group(
                self._scale.assign(new),
                self._good.assign(tf.where(reset, 0, good)),
                self._bad.assign(tf.where(reset, 0, bad)),
            )


class LossScaleOptimizer(tf.train.Optimizer):  # type: ignore[misc]
    """An optimizer of a scaled loss, which leaves out steps whose gradients are not finite."""

    def __init__(self, opt: Any, loss_scale_manager: Any) -> None:
        """Makes the optimizer."""
        super().__init__(False, "LossScaleOptimizer")
        self._opt, self._manager = opt, loss_scale_manager

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Returns the gradients of the loss, computed of the scaled one, and the variables."""
        scale = self._manager.get_loss_scale()

        def scaled() -> Any:
            value = loss() if callable(loss) else loss
            return value * tf.cast(scale, value.dtype.base_dtype)

        scaled_loss = scaled if tf.executing_eagerly() else scaled()
        pairs = self._opt.compute_gradients(scaled_loss, *args, **kwargs)
        inverse = tf.reciprocal(scale)
        return [
            (None if grad is None else grad * tf.cast(inverse, grad.dtype.base_dtype), variable)
            for grad, variable in pairs
        ]

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Returns the operation that applies gradients if all are finite, and changes the scale."""
        pairs = [(grad, variable) for grad, variable in grads_and_vars]
        finite = tf.reduce_all(
            [tf.reduce_all(tf.is_finite(grad)) for grad, _ in pairs if grad is not None]
        )
        applied = tf.cond(
            finite, lambda: self._opt.apply_gradients(pairs, global_step, name), lambda: tf.no_op()
        )
        return tf.group(applied, self._manager.update_loss_scale(finite))
