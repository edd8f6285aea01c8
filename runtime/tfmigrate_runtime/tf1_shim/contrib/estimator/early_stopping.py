"""Hooks that end training, depending on results of evaluations.

The hooks are TensorFlow's own; which of them is chosen is as in TensorFlow 1.15. Its last release
takes every estimator with a train_distribute for one of several workers, and refuses
``run_every_secs``, whose default is set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import early_stopping
from tfmigrate_runtime.compat.shim_estimator import estimator as estimator_lib

__all__ = [
    "make_early_stopping_hook",
    "read_eval_metrics",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]

read_eval_metrics = early_stopping.read_eval_metrics


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


def stop_if_higher_hook(
    estimator: Any,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Returns a hook that stops where a metric was above a threshold in any evaluation."""
    values = _values_of(estimator, metric_name, eval_dir, min_steps)
    stop = _first_that(values, lambda value: value > threshold)
    return make_early_stopping_hook(estimator, stop, run_every_secs, run_every_steps)


def stop_if_lower_hook(
    estimator: Any,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Returns a hook that stops where a metric was below a threshold in any evaluation."""
    values = _values_of(estimator, metric_name, eval_dir, min_steps)
    stop = _first_that(values, lambda value: value < threshold)
    return make_early_stopping_hook(estimator, stop, run_every_secs, run_every_steps)


def stop_if_no_increase_hook(
    estimator: Any,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Returns a hook that stops where a metric has not risen above its best for so many steps."""
    values = _values_of(estimator, metric_name, eval_dir, min_steps)
    stop = _stale(values, max_steps_without_increase, sign=1.0)
    return make_early_stopping_hook(estimator, stop, run_every_secs, run_every_steps)


def stop_if_no_decrease_hook(
    estimator: Any,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Returns a hook that stops where a metric has not sunk below its best for so many steps."""
    values = _values_of(estimator, metric_name, eval_dir, min_steps)
    stop = _stale(values, max_steps_without_decrease, sign=-1.0)
    return make_early_stopping_hook(estimator, stop, run_every_secs, run_every_steps)


_Values = Callable[[], "list[tuple[int, float]]"]


def _values_of(estimator: Any, metric: str, eval_dir: str | None, min_steps: int) -> _Values:
    folder = eval_dir or estimator.eval_dir()

    def values() -> list[tuple[int, float]]:
        evaluations = read_eval_metrics(folder).items()
        return [(step, metrics[metric]) for step, metrics in evaluations if step >= min_steps]

    return values


def _first_that(values: _Values, crosses: Callable[[float], bool]) -> Callable[[], bool]:
    def should_stop() -> bool:
        crossing = next(((step, value) for step, value in values() if crosses(value)), None)
        if crossing is not None:
            tf.logging.info(
                "Early stopping: the metric was %s at step %s.", crossing[1], crossing[0]
            )
        return crossing is not None

    return should_stop


def _stale(values: _Values, limit: int, sign: float) -> Callable[[], bool]:
    def should_stop() -> bool:
        best: tuple[int, float] | None = None
        for step, value in values():
            if best is None or sign * value > sign * best[1]:
                best = (step, value)
            if step - best[0] >= limit:
                tf.logging.info("Early stopping: nothing better since step %s.", best[0])
                return True
        return False

    return should_stop
