"""``tf.contrib.estimator.clip_gradients_by_norm``: an optimizer that clips what it applies."""

from typing import Any

import tensorflow.compat.v1 as tf


class _ClippingOptimizer(tf.train.Optimizer):  # type: ignore[misc]
    """Clips all gradients by their common norm, then has another optimizer apply them."""

    def __init__(self, optimizer: Any, clip_norm: Any) -> None:
        super().__init__(use_locking=False, name=f"ClipByNorm{optimizer.get_name()}")
        self._optimizer, self._clip_norm = optimizer, clip_norm

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns those of the optimizer inside, which are not clipped yet."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Returns the operation of a step with clipped gradients."""
        gradients, variables = zip(*grads_and_vars, strict=True)
        clipped, _ = tf.clip_by_global_norm(gradients, self._clip_norm)
        pairs = list(zip(clipped, variables, strict=True))
        return self._optimizer.apply_gradients(pairs, global_step, name)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a slot of the optimizer inside."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the names of the slots of the optimizer inside."""
        return self._optimizer.get_slot_names(*args, **kwargs)


def clip_gradients_by_norm(optimizer: Any, clip_norm: Any) -> Any:
    """Returns an optimizer that clips gradients by their global norm before it applies them.

    Args:
        optimizer: the optimizer inside.
        clip_norm: the greatest norm.
    """
    return _ClippingOptimizer(optimizer, clip_norm)
