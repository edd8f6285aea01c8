"""A hook that ends a worker's training once the last step is in a checkpoint."""

import time
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.estimator import Estimator


def make_stop_at_checkpoint_step_hook(
    estimator: Estimator, last_step: int, wait_after_file_check_secs: float = 30
) -> Any:
    """Returns a hook that stops after a global step; workers wait for the chief's checkpoint of it.

    Args:
        estimator: the Estimator that is trained.
        last_step: the global step to stop after.
        wait_after_file_check_secs: seconds from one look at the checkpoint to the next.
    """
    if estimator.config.is_chief:
        return tf.train.StopAtStepHook(last_step=last_step)
    return _StopAtCheckpointStepHook(estimator, last_step, wait_after_file_check_secs)


class _StopAtCheckpointStepHook(tf.train.SessionRunHook):  # type: ignore[misc]
    """Stops when the latest checkpoint has the last step."""

    def __init__(self, estimator: Estimator, last_step: int, seconds: float) -> None:
        if last_step is None:
            raise ValueError("last_step must be specified.")
        self._estimator = estimator
        self._last_step = last_step
        self._seconds = seconds
        self._global_step: Any = None

    def begin(self) -> None:
        self._global_step = tf.train.get_global_step()

    def after_run(self, run_context: Any, run_values: Any) -> None:
        del run_values
        if int(run_context.session.run(self._global_step)) < self._last_step:
            return
        path = self._estimator.latest_checkpoint()
        saved = int(tf.train.load_variable(path, "global_step")) if path else 0
        if saved >= self._last_step:
            run_context.request_stop()
        else:
            time.sleep(self._seconds)
