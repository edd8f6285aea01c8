"""Optimizers whose weights decay in addition to the gradient's step (arXiv:1711.05101).

The source of the meaning is contrib/opt/python/training/weight_decay_optimizers.py of
TensorFlow 1.15, where minimize(decay_var_list=) had no effect: apply_gradients, which it calls,
takes all variables again. There the weights could decay while the gradient was still computed;
here they decay after it.
"""

from collections.abc import Iterable
from typing import Any

import tensorflow.compat.v1 as tf


class DecoupledWeightDecayExtension:
    """Put before an optimizer among the bases of a class, lets its weights decay."""

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        """Makes the optimizer.

        Args:
            weight_decay: the share of a weight that goes at every step.
            kwargs: what the optimizer is given.
        """
        self._decayed: frozenset[str] = frozenset()
        self._weight_decay = weight_decay
        super().__init__(**kwargs)

    def minimize(self, *args: Any, decay_var_list: Any = None, **kwargs: Any) -> Any:
        """Returns the operation of a step: see tf.train.Optimizer.minimize."""
        return super().minimize(*args, **kwargs)  # type: ignore[misc]

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        decay_var_list: Iterable[Any] | None = None,
    ) -> Any:
        """Returns the operation of a step: see tf.train.Optimizer.apply_gradients.

        Args:
            grads_and_vars: gradients and variables.
            global_step: the step to count on.
            name: of the operation.
            decay_var_list: the variables that decay, all by default.
        """
        self._decayed = frozenset(variable.name for variable in decay_var_list or ())
        parent: Any = super()
        return parent.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _decay(self, variable: Any, grad: Any, indices: Any = None) -> Any:
        if self._decayed and variable.name not in self._decayed:
            return tf.no_op()
        share = self._weight_decay
        with tf.control_dependencies([grad]):
            if indices is None:
                return variable.assign_sub(share * variable)
            rows = share * tf.gather(variable, indices)
            return variable.scatter_sub(tf.IndexedSlices(rows, indices))

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decay(var, grad)]):
            return super()._apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decay(var, grad)]):
            return super()._resource_apply_dense(grad, var)  # type: ignore[misc]

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decay(var, grad.values, grad.indices)]):
            return super()._apply_sparse(grad, var)  # type: ignore[misc]

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        with tf.control_dependencies([self._decay(var, grad, indices)]):
            return super()._resource_apply_sparse(grad, var, indices)  # type: ignore[misc]


def extend_with_decoupled_weight_decay(base_optimizer: Any) -> Any:
    """Returns a class like an optimizer's, which takes weight_decay before its arguments."""

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):  # type: ignore[misc]
        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            self._decayed = frozenset()
            self._weight_decay = weight_decay
            base_optimizer.__init__(self, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, tf.train.MomentumOptimizer):  # type: ignore[misc]
    """Momentum with weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(**_passed(locals()))


class AdamWOptimizer(DecoupledWeightDecayExtension, tf.train.AdamOptimizer):  # type: ignore[misc]
    """Adam with weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(**_passed(locals()))


def _passed(arguments: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments among the ``locals()`` of a constructor."""
    return {name: arguments[name] for name in arguments.keys() - {"self", "__class__"}}
