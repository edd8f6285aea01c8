"""Hooks that end training, depending on results of evaluations.

They are tensorflow-estimator's; which of its two hooks is chosen is as in TensorFlow 1.15. Its last
release takes every estimator with a train_distribute for one of several workers, and refuses
``run_every_secs``, whose default is set.
"""

from collections.abc import Callable
from typing import Any

from tfmigrate_runtime.compat.shim_estimator import early_stopping
from tfmigrate_runtime.compat.shim_estimator import estimator as estimator_lib

__all__ = [
    "make_early_stopping_hook", "read_eval_metrics", "stop_if_higher_hook", "stop_if_lower_hook",
    "stop_if_no_decrease_hook", "stop_if_no_increase_hook",
]  # fmt: skip


def make_early_stopping_hook(
    estimator: Any,
    should_stop_fn: Callable[[], bool],
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Returns a hook that asks ``should_stop_fn`` at intervals; tasks but the chief follow it.

    Raises:
        TypeError: ``estimator`` is not a tf.estimator.Estimator, ``should_stop_fn`` no function.
        ValueError: both intervals are given.
    """
    if not isinstance(estimator, estimator_lib.Estimator):
        raise TypeError(
            f"`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}"
        )
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    if not estimator.config.is_chief:
        return early_stopping._CheckForStoppingHook()
    return early_stopping._StopOnPredicateHook(should_stop_fn, run_every_secs, run_every_steps)


# The functions below look it up there.
early_stopping.make_early_stopping_hook = make_early_stopping_hook
read_eval_metrics = early_stopping.read_eval_metrics
stop_if_higher_hook = early_stopping.stop_if_higher_hook
stop_if_lower_hook = early_stopping.stop_if_lower_hook
stop_if_no_decrease_hook = early_stopping.stop_if_no_decrease_hook
stop_if_no_increase_hook = early_stopping.stop_if_no_increase_hook
