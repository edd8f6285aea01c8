"""Hooks that end training early (``tf.estimator.experimental.stop_if_*_hook``).

The chief decides and sets the variable ``signal_early_stopping/STOP``; all workers look at it.
The decision is made from the event files of evaluations, so it needs evaluations during training,
as ``train_and_evaluate`` makes them. STOP is part of the checkpoint, as in TensorFlow 1.15, which
other workers therefore see after a restart too.
"""

import operator
import os
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import event_files
from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.train.passed_on import pass_on

Better = Callable[[Any, Any], bool]


def make_early_stopping_hook(
    estimator: Estimator,
    should_stop_fn: Callable[[], bool],
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Returns a hook that ends training when a function says so.

    Args:
        estimator: the Estimator that is trained.
        should_stop_fn: says whether to stop; called by the chief only.
        run_every_secs: seconds between two calls.
        run_every_steps: steps between two calls; then run_every_secs must be None.

    Returns:
        The hook, for ``TrainSpec(hooks=[...])`` or ``Estimator.train``.

    Raises:
        TypeError: estimator is not an Estimator, or should_stop_fn not a function.
        ValueError: both intervals are given, or none.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"`estimator` must be an Estimator, given: {type(estimator).__name__}")
    if not callable(should_stop_fn):
        raise TypeError("`should_stop_fn` must be callable.")
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    if estimator.config.is_chief:
        timer = tf.train.SecondOrStepTimer(every_secs=run_every_secs, every_steps=run_every_steps)
        return _StopWhenToldHook(should_stop_fn, timer)
    return _StopWithOthersHook()


def stop_if_higher_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Returns a hook that ends training once a metric is higher than a threshold.

    Args:
        estimator: the Estimator that is trained.
        metric_name: a name in the results of ``evaluate``.
        threshold: what the metric is compared with.
        eval_dir: the folder of the evaluations' event files, None for ``estimator.eval_dir()``.
        min_steps: evaluations of earlier global steps do not count.
        run_every_secs: seconds between two looks.
        run_every_steps: steps between two looks; then run_every_secs must be None.
    """
    return pass_on(_hook, locals(), ends=_threshold_crossed, limit=threshold, better=operator.gt)


def stop_if_lower_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Returns a hook that ends training once a metric is lower than a threshold.

    Arguments are those of ``stop_if_higher_hook``.
    """
    return pass_on(_hook, locals(), ends=_threshold_crossed, limit=threshold, better=operator.lt)


def stop_if_no_increase_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Returns a hook that ends training when a metric has not increased for some steps.

    Args:
        estimator: the Estimator that is trained.
        metric_name: a name in the results of ``evaluate``.
        max_steps_without_increase: how many global steps after its best evaluation an evaluation
            may be that is not better.
        eval_dir: the folder of the evaluations' event files, None for ``estimator.eval_dir()``.
        min_steps: evaluations of earlier global steps do not count.
        run_every_secs: seconds between two looks.
        run_every_steps: steps between two looks; then run_every_secs must be None.
    """
    limit = max_steps_without_increase
    return pass_on(_hook, locals(), ends=_no_improvement, better=operator.gt)


def stop_if_no_decrease_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Returns a hook that ends training when a metric has not decreased for some steps.

    Arguments are those of ``stop_if_no_increase_hook``.
    """
    limit = max_steps_without_decrease
    return pass_on(_hook, locals(), ends=_no_improvement, better=operator.lt)


def _hook(
    ends: Callable[..., Callable[[], bool]],
    limit: float,
    better: Better,
    estimator: Estimator,
    metric_name: str,
    eval_dir: str | None,
    min_steps: int,
    run_every_secs: float | None,
    run_every_steps: int | None,
) -> Any:
    stops = ends(eval_dir or estimator.eval_dir(), metric_name, limit, better, min_steps)
    return make_early_stopping_hook(estimator, stops, run_every_secs, run_every_steps)


def _threshold_crossed(
    eval_dir: str, metric: str, threshold: float, better: Better, min_steps: int
) -> Callable[[], bool]:
    def stops() -> bool:
        for step, value in _history(eval_dir, metric, min_steps):
            if better(value, threshold):
                tf.logging.info("At step %s %s is %s: stopping early.", step, metric, value)
                return True
        return False

    return stops


def _no_improvement(
    eval_dir: str, metric: str, max_steps: int, better: Better, min_steps: int
) -> Callable[[], bool]:
    def stops() -> bool:
        best, best_step = None, 0
        for step, value in _history(eval_dir, metric, min_steps):
            if best is None or better(value, best):
                best, best_step = value, step
            if step - best_step >= max_steps:
                tf.logging.info(
                    "%s is not better than %s for %s steps: stopping early.",
                    metric,
                    best,
                    step - best_step,
                )
                return True
        return False

    return stops


def _history(eval_dir: str, metric: str, min_steps: int) -> Iterator[tuple[int, float]]:
    """Yields global steps, rising, and the metric's last value there.

    Raises:
        KeyError: an evaluation has no such metric.
    """
    results: dict[int, dict[str, float]] = {}
    for step, values in event_files.scalars(os.path.join(eval_dir, "*.tfevents.*")):
        results.setdefault(step, {}).update(values)
    yield from ((step, results[step][metric]) for step in sorted(results) if step >= min_steps)


def _stop_variable() -> Any:
    with tf.variable_scope("signal_early_stopping", reuse=tf.AUTO_REUSE):
        return tf.get_variable(
            "STOP",
            shape=[],
            dtype=tf.bool,
            initializer=tf.constant_initializer(False),
            collections=[tf.GraphKeys.GLOBAL_VARIABLES],
            trainable=False,
        )


class _StopWhenToldHook(tf.train.SessionRunHook):  # type: ignore[misc]
    """The chief's: asks now and then, and tells the others."""

    def __init__(self, should_stop_fn: Callable[[], bool], timer: Any) -> None:
        self._should_stop, self._timer = should_stop_fn, timer

    def begin(self) -> None:
        self._global_step = tf.identity(tf.train.get_global_step(), name="global_step_to_stop")
        self._stop = tf.assign(_stop_variable(), True)

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._global_step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = run_values.results
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._should_stop():
            tf.logging.info("Requesting early stopping at global step %d", step)
            run_context.session.run(self._stop)
            run_context.request_stop()


class _StopWithOthersHook(tf.train.SessionRunHook):  # type: ignore[misc]
    """The other workers': stops when the chief did."""

    def begin(self) -> None:
        self._stopped = tf.identity(_stop_variable(), name="stop_of_chief")

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._stopped)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results:
            tf.logging.info("Early stopping requested, suspending run.")
            run_context.request_stop()
