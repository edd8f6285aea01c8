"""Schedules of an Experiment that loop until a step is reached or a function returns False."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import tensorflow.compat.v1 as tf

if TYPE_CHECKING:
    from tfmigrate_runtime.estimator.experiment.experiment import Experiment

_SECONDS_BETWEEN_WARNINGS = 600


def train_and_evaluate(
    experiment: Experiment, steps: int, predicate: Callable[..., bool] | None
) -> tuple[Any, list[Any] | None]:
    """Trains for some steps, evaluates and exports, alternately, until ``train_steps`` is reached.

    Every round calls the input function again, and may exceed ``train_steps``: it looks only after
    an evaluation, so that a finished training makes another turn (semantics.md, section 2).

    Args:
        experiment: the Experiment.
        steps: of a turn.
        predicate: see ``evaluate``; it is called before the first turn too.

    Returns:
        The last metrics and what the export strategies returned.

    Raises:
        ValueError: predicate is not a function, or steps is not positive.
    """
    goes_on = _standardized(predicate)
    metrics, exported, path = None, None, None
    while goes_on(metrics, path if metrics else None):
        if experiment.has_reached_train_steps(metrics):
            tf.logging.info("Stop training model as max steps reached")
            break
        tf.logging.info("Training model for %s steps", steps)
        experiment.call_train(experiment._train_monitors, steps=steps)
        path = tf.train.latest_checkpoint(experiment.estimator.model_dir)
        metrics = experiment.call_evaluate(name="one_pass", checkpoint_path=path)
        exported = experiment.export(metrics)
    return metrics, exported


def evaluate(
    experiment: Experiment,
    input_fn: Callable[..., Any],
    name: str,
    delay_secs: float | None,
    throttle_secs: float,
    only_once: bool,
    predicate: Callable[..., bool] | None,
    exports: bool,
) -> None:
    """Evaluates new checkpoints until that of ``train_steps``.

    Args:
        experiment: the Experiment.
        input_fn: the input of evaluations.
        name: the name of the evaluation.
        delay_secs: how long to wait at first.
        throttle_secs: the least time from one evaluation's start to the next's.
        only_once: whether a checkpoint is evaluated once only.
        predicate: takes the last metrics (None at first, {} where there was no new checkpoint) and,
            if it wants it, ``checkpoint_path``; evaluating ends when it returns False.
        exports: whether the export strategies are used.

    Raises:
        ValueError: predicate is not a function.
    """
    goes_on = _standardized(predicate)
    experiment.wait(delay_secs)
    previous: str | None = None
    metrics: Mapping[str, Any] | None = None
    warned_at: float | None = None
    while goes_on(metrics, previous):
        if experiment.has_reached_train_steps(metrics):
            tf.logging.info("Exiting continuous eval: train_steps are reached.")
            return
        start = time.monotonic()
        path = tf.train.latest_checkpoint(experiment.estimator.model_dir)
        if not path or (only_once and path == previous):
            metrics = {}
            if warned_at is None or start - warned_at > _SECONDS_BETWEEN_WARNINGS:
                tf.logging.warning("No new checkpoint ready for evaluation.")
                warned_at = start
        else:
            evaluation = experiment.call_evaluate(
                input_fn=input_fn, name=name, checkpoint_path=path
            )
            metrics = evaluation or {}  # None is what the predicate gets at first only
            if exports:
                experiment.export(metrics, checkpoint_path=path)
            previous, warned_at = path, None
        experiment.wait(max(0.0, throttle_secs - (time.monotonic() - start)))


def _standardized(predicate: Callable[..., bool] | None) -> Callable[[Any, str | None], bool]:
    if predicate is None:
        return lambda metrics, path: True
    if not callable(predicate):
        raise ValueError("`continuous_eval_predicate_fn` must be a callable, or None.")
    function = predicate
    if "checkpoint_path" in inspect.signature(function).parameters:
        return lambda metrics, path: function(metrics, checkpoint_path=path)
    return lambda metrics, path: function(metrics)
