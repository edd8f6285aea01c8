"""An optimizer that keeps moving averages of the variables, and savers of these."""

from typing import Any

import tensorflow.compat.v1 as tf


class MovingAverageOptimizer(tf.train.Optimizer):  # type: ignore[misc]
    """Averages the variables that another optimizer trains."""

    def __init__(
        self,
        opt: Any,
        average_decay: float = 0.9999,
        num_updates: Any = None,
        sequential_update: bool = True,
    ) -> None:
        """Makes the optimizer.

        Args:
            opt: the optimizer inside.
            average_decay: of the averages.
            num_updates: the count of updates, by which the decay is smaller at the beginning.
            sequential_update: whether averages are taken after the step, not at the same time.
        """
        super().__init__(False, "MovingAverageOptimizer")
        self._optimizer, self._sequential = opt, sequential_update
        self._averages = tf.train.ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped: dict[str, str] | None = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns those of the optimizer inside."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Returns the operation of a step and of the averages."""
        pairs = list(grads_and_vars)
        step = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        variables = [variable for grad, variable in pairs if grad is not None]
        with tf.control_dependencies([step] if self._sequential else []):
            averaged = self._averages.apply(variables)
        self._swapped = {}
        for variable in variables:
            average = self._averages.average(variable)
            self._swapped[variable.op.name] = average.op.name
            self._swapped[average.op.name] = variable.op.name
        return tf.group(step, averaged, name="train_with_avg")

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Any:
        """Returns a saver that writes averages under the names of the variables, and reversed.

        Args:
            var_list: variables, or a dictionary of them by name; all by default.
            name: of the saver.
            kwargs: what else tf.train.Saver is given.

        Raises:
            RuntimeError: there are no averages yet.
            ValueError: a variable is saved, and its average not.
        """
        if self._swapped is None:
            raise RuntimeError(
                "Must call apply_gradients or minimize before creating the swapping_saver"
            )
        variables = tf.global_variables() if var_list is None else var_list
        saved = variables if isinstance(variables, dict) else _by_name(variables)
        known = {
            variable.op.name: variable
            for item in saved.values()
            for variable in (item if isinstance(item, list) else [item])
        }

        def swapped(variable: Any) -> Any:
            if (other := (self._swapped or {}).get(variable.op.name)) is None:
                return variable
            if other not in known:
                raise ValueError(
                    f"Variable to swap {other} is not part of variables to save. "
                    "This breaks MovingAverageOptimizer."
                )
            return known[other]

        items = {
            key: [swapped(part) for part in item] if isinstance(item, list) else swapped(item)
            for key, item in saved.items()
        }
        return tf.train.Saver(items, name=name, **kwargs)


def _by_name(variables: Any) -> dict[str, Any]:
    """Returns variables by name, and the slices of a partitioned one as a list."""
    by_name: dict[str, Any] = {}
    for variable in variables:
        if (part := getattr(variable, "_save_slice_info", None)) is None:
            by_name[variable.op.name] = variable
        else:
            by_name.setdefault(part.full_name, []).append(variable)
    return by_name
