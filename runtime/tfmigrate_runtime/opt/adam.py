"""Relatives of Adam in tf.contrib.opt.

The source of the formulas is contrib/opt/python/training of TensorFlow 1.15.
"""

from typing import Any

import tensorflow.compat.v1 as tf


class _SparseAdam(tf.train.AdamOptimizer):  # type: ignore[misc]
    """An Adam that has one way for the sparse gradients of both kinds of variables."""

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._apply_slices(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        return self._apply_slices(grad, var, indices)

    def _apply_slices(self, grad: Any, var: Any, indices: Any) -> Any:
        raise NotImplementedError

    def _of_type(self, var: Any, *tensors: Any) -> list[Any]:
        return [tf.cast(tensor, var.dtype.base_dtype) for tensor in tensors]

    def _moments(self, var: Any) -> tuple[Any, Any]:
        return self.get_slot(var, "m"), self.get_slot(var, "v")

    def _corrected_rate(self, var: Any) -> Any:
        """Returns the learning rate, corrected for the bias of both moments."""
        powers = self._of_type(var, *self._get_beta_accumulators())
        (rate,) = self._of_type(var, self._lr_t)
        return rate * tf.sqrt(1 - powers[1]) / (1 - powers[0])


class LazyAdamOptimizer(_SparseAdam):
    """An Adam whose moments stay for rows that have no gradient."""

    def _apply_slices(self, grad: Any, var: Any, indices: Any) -> Any:
        beta1, beta2, epsilon = self._of_type(var, self._beta1_t, self._beta2_t, self._epsilon_t)
        rate = self._corrected_rate(var)
        m, v = self._moments(var)
        first = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
        second = beta2 * tf.gather(v, indices) + (1 - beta2) * tf.square(grad)
        return tf.group(
            m.scatter_update(tf.IndexedSlices(first, indices)),
            v.scatter_update(tf.IndexedSlices(second, indices)),
            var.scatter_sub(tf.IndexedSlices(rate * first / (tf.sqrt(second) + epsilon), indices)),
        )


class _DenseAdam(_SparseAdam):
    """An Adam whose dense gradients are applied by a kernel of another name, or other settings."""

    _kernel: str

    def _arguments(self, var: Any, grad: Any) -> dict[str, Any]:
        power, rate, beta1, beta2, epsilon = self._of_type(
            var,
            self._get_beta_accumulators()[0],
            self._lr_t,
            self._beta1_t,
            self._beta2_t,
            self._epsilon_t,
        )
        return {
            "beta1_power": power,
            "lr": rate,
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": epsilon,
            "grad": grad,
            "use_locking": self._use_locking,
        }

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        m, v = self._moments(var)
        apply = getattr(tf.raw_ops, self._kernel)
        return apply(var=var, m=m, v=v, **self._arguments(var, grad)).op

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        m, v = self._moments(var)
        apply = getattr(tf.raw_ops, "Resource" + self._kernel)
        return apply(var=var.handle, m=m.handle, v=v.handle, **self._arguments(var, grad))


class NadamOptimizer(_DenseAdam):
    """Adam with Nesterov's momentum."""

    _kernel = "ApplyAdam"

    def _arguments(self, var: Any, grad: Any) -> dict[str, Any]:
        (power,) = self._of_type(var, self._get_beta_accumulators()[1])
        return {**super()._arguments(var, grad), "beta2_power": power, "use_nesterov": True}

    def _apply_slices(self, grad: Any, var: Any, indices: Any) -> Any:
        beta1, beta2, epsilon = self._of_type(var, self._beta1_t, self._beta2_t, self._epsilon_t)
        rate = self._corrected_rate(var)
        m, v = self._moments(var)
        added = grad * (1 - beta1)
        first = _decayed_and_added(m, beta1, added, indices)
        second = _decayed_and_added(v, beta2, tf.square(grad) * (1 - beta2), indices)
        step = rate * (added + beta1 * first) / (tf.sqrt(second) + epsilon)
        return tf.group(var.scatter_sub(tf.IndexedSlices(step, indices)))


def _decayed_and_added(moment: Any, beta: Any, added: Any, indices: Any) -> Any:
    """Returns the rows of a moment after all of it has decayed and they were added to."""
    with tf.control_dependencies([moment.assign(moment * beta)]):
        update = moment.scatter_add(tf.IndexedSlices(added, indices))
    with tf.control_dependencies([update]):
        return tf.gather(moment.read_value(), indices)


class AdaMaxOptimizer(_DenseAdam):
    """Adam with the maximum norm."""

    _kernel = "ApplyAdaMax"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _create_slots(self, var_list: Any) -> None:
        first = min(var_list, key=lambda variable: variable.name)
        self._create_non_slot_variable(
            initial_value=self._beta1, name="beta1_power", colocate_with=first
        )
        for variable in var_list:
            self._zeros_slot(variable, "m", self._name)
            self._zeros_slot(variable, "v", self._name)

    def _apply_slices(self, grad: Any, var: Any, indices: Any) -> Any:
        hyperparameters = self._arguments(var, grad)
        m, v = self._moments(var)
        first = tf.gather(m, indices) * hyperparameters["beta1"] + grad * (
            1 - hyperparameters["beta1"]
        )
        second = tf.maximum(tf.gather(v, indices) * hyperparameters["beta2"], tf.abs(grad))
        rate = hyperparameters["lr"] / (1 - hyperparameters["beta1_power"])
        step = rate * (first / (second + hyperparameters["epsilon"]))
        return tf.group(
            m.scatter_update(tf.IndexedSlices(first, indices)),
            v.scatter_update(tf.IndexedSlices(second, indices)),
            var.scatter_sub(tf.IndexedSlices(step, indices)),
        )

    def _finish(self, update_ops: Any, name_scope: Any) -> Any:
        power = self._get_beta_accumulators()[0]
        with tf.control_dependencies(update_ops), tf.colocate_with(power):
            moved = power.assign(power * self._beta1_t, use_locking=self._use_locking)
        return tf.group(*update_ops, moved, name=name_scope)
