"""``tf.estimator.experimental``: early stopping, evaluation in training, logits."""

import time
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.all_modes import build_raw_supervised_input_receiver_fn
from tfmigrate_runtime.estimator.canned.logit_functions import (
    call_logit_fn,
    dnn_logit_fn_builder,
    linear_logit_fn_builder,
)
from tfmigrate_runtime.estimator.early_stopping import (
    make_early_stopping_hook,
    stop_if_higher_hook,
    stop_if_lower_hook,
    stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)
from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.in_memory_evaluator import InMemoryEvaluatorHook

__all__ = [
    "InMemoryEvaluatorHook", "build_raw_supervised_input_receiver_fn", "call_logit_fn",
    "dnn_logit_fn_builder", "linear_logit_fn_builder", "make_early_stopping_hook",
    "make_stop_at_checkpoint_step_hook", "stop_if_higher_hook", "stop_if_lower_hook",
    "stop_if_no_decrease_hook", "stop_if_no_increase_hook",
]  # fmt: skip

_INSTEAD = {
    "KMeans": "k-means of a clustering library, such as sklearn.cluster.MiniBatchKMeans",
    "LinearSDCA": "LinearClassifier or LinearRegressor with a tf.train optimizer",
    "RNNClassifier": "Estimator with a model function that calls tf.nn.dynamic_rnn",
    "RNNEstimator": "Estimator with a model function that calls tf.nn.dynamic_rnn",
}


def __getattr__(name: str) -> Any:
    """Returns what to use where tf.estimator.experimental has a name without an equivalent."""
    if name in _INSTEAD:
        raise AttributeError(
            f"tf.estimator.experimental.{name} has no equivalent in {__name__}: use "
            f"{_INSTEAD[name]}"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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
        self._estimator, self._last_step = estimator, last_step
        self._seconds = seconds
        self._global_step: Any = None

    def begin(self) -> None:
        self._global_step = tf.train.get_global_step()

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if int(run_context.session.run(self._global_step)) < self._last_step:
            return
        path = self._estimator.latest_checkpoint()
        saved = int(tf.train.load_variable(path, "global_step")) if path else 0
        if saved >= self._last_step:
            run_context.request_stop()
        else:
            time.sleep(self._seconds)
