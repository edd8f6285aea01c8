"""The evaluator of a cluster: a process that evaluates checkpoints while others train."""

import time
from collections.abc import Callable

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.estimator import Estimator

_SECONDS_BETWEEN_LOOKS = 1.0


def evaluate_continuously(
    estimator: Estimator,
    evaluate: Callable[[int], None],
    max_steps: int | None,
    start_delay_secs: float,
    throttle_secs: float,
) -> None:
    """Evaluates each new checkpoint until that of ``max_steps``.

    Args:
        estimator: the Estimator whose model_dir is looked at.
        evaluate: evaluates the latest checkpoint, whose global step it gets.
        max_steps: the step that training ends at, None if it never does.
        start_delay_secs: how long to wait before the first evaluation.
        throttle_secs: the time from the beginning of an evaluation to that of the next.

    Raises:
        TimeoutError: no new checkpoint came for ``session_creation_timeout_secs``.
    """
    time.sleep(start_delay_secs)
    limit = estimator.config.session_creation_timeout_secs
    evaluated: str | None = None
    waiting_since = time.monotonic()
    while True:
        path = estimator.latest_checkpoint()
        if path is None or path == evaluated:
            if time.monotonic() - waiting_since > limit:
                raise TimeoutError(
                    f"no new checkpoint in {estimator.model_dir} for {limit} s "
                    "(RunConfig.session_creation_timeout_secs): check that the training tasks "
                    "are running"
                )
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            continue
        begin = waiting_since = time.monotonic()
        step = int(tf.train.load_variable(path, tf.GraphKeys.GLOBAL_STEP))
        evaluate(step)
        evaluated = path
        if max_steps is not None and step >= max_steps:
            return
        time.sleep(max(0.0, throttle_secs - (time.monotonic() - begin)))
