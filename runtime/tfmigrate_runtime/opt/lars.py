"""Layer-wise adaptive rates (arXiv:1708.03888)."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf


class LARSOptimizer(tf.train.MomentumOptimizer):  # type: ignore[misc]
    """Momentum, with a rate for each variable (contrib/opt/python/training/lars_optimizer.py)."""

    def __init__(
        self,
        learning_rate: Any,
        momentum: float = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Sequence[str] | None = None,
        use_nesterov: bool = False,
    ) -> None:
        if momentum < 0.0:
            raise ValueError(f"momentum should be positive: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"weight_decay should be positive: {weight_decay}")
        super().__init__(learning_rate, momentum, name=name, use_nesterov=use_nesterov)
        self._weight_decay, self._eeta, self._epsilon = weight_decay, eeta, epsilon
        self._skip_list = skip_list

    def compute_lr(self, grad: Any, var: Any) -> tuple[Any, Any]:
        """Returns the rate of a variable, and its gradient with the decay of its weights."""
        if any(part in var.name for part in self._skip_list or ()):
            return self._learning_rate, grad
        weight, norm = tf.norm(var, ord=2), tf.norm(grad, ord=2)
        ratio = self._eeta * weight / (norm + self._weight_decay * weight + self._epsilon)
        trust = tf.where(tf.logical_and(weight > 0, norm > 0), ratio, tf.ones_like(ratio))
        return self._learning_rate * trust, grad + self._weight_decay * var

    def _arguments(self, grad: Any, var: Any) -> dict[str, Any]:
        rate, grad = self.compute_lr(grad, var)
        return {
            "lr": tf.cast(1.0, var.dtype.base_dtype),
            "grad": grad * rate,
            "momentum": tf.cast(self._momentum, var.dtype.base_dtype),
            "use_locking": False,
            "use_nesterov": self._use_nesterov,
        }

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        slot = self.get_slot(var, "momentum")
        return tf.raw_ops.ApplyMomentum(var=var, accum=slot, **self._arguments(grad, var)).op

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        slot = self.get_slot(var, "momentum")
        return tf.raw_ops.ResourceApplyMomentum(
            var=var.handle, accum=slot.handle, **self._arguments(grad, var)
        )
