"""The schedules of Experiment that loop: evaluate what others train, or train and evaluate."""

import inspect
import time
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.train.experiment_fields import ExperimentFields
from tfmigrate_runtime.train.passed_on import pass_on

_STEPS_OF_A_ROUND = 1000
_SECONDS_BETWEEN_WARNINGS = 600


class ContinuousSchedules(ExperimentFields):
    """Rounds of an Experiment, whose attributes and calls they use."""

    _call_train: Callable[..., Any]
    _call_evaluate: Callable[..., Any]
    _maybe_export: Callable[..., Any]

    def continuous_eval(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Any = None,
        name: str = "continuous",
    ) -> None:
        """Evaluates and exports new checkpoints until one has reached ``train_steps``."""
        pass_on(self._continuous_eval, locals(), input_fn=self._eval_input_fn)

    def continuous_eval_on_train_data(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        continuous_eval_predicate_fn: Any = None,
        name: str = "continuous_on_train_data",
    ) -> None:
        """The same on the training data, without exports."""
        pass_on(self._continuous_eval, locals(), input_fn=self._train_input_fn, export=False)

    def _continuous_eval(
        self,
        input_fn: Any,
        name: str,
        delay_secs: float | None,
        throttle_delay_secs: float | None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Any = None,
        export: bool = True,
    ) -> None:
        """Evaluates checkpoints, at most one each ``throttle_delay_secs``.

        Raises:
            ValueError: the predicate cannot be called.
        """
        goes_on = _predicate(continuous_eval_predicate_fn)
        delay = self._eval_delay_secs if delay_secs is None else delay_secs
        if (pause := throttle_delay_secs) is None:
            pause = self._continuous_eval_throttle_secs
        if delay:
            tf.logging.info("Waiting %f secs before starting eval.", delay)
            time.sleep(delay)
        evaluated: str | None = None
        metrics: dict[str, Any] | None = None
        warned = float("-inf")
        while goes_on(metrics, evaluated):
            if self._has_training_stopped(metrics):
                tf.logging.info("Exiting continuous eval at train_step=%s", self._train_steps)
                return
            start = time.time()
            path = tf.train.latest_checkpoint(self._estimator.model_dir)
            if not path or (evaluate_checkpoint_only_once and path == evaluated):
                metrics = {}  # what the predicate sees while there is nothing new
                if time.time() - warned > _SECONDS_BETWEEN_WARNINGS:
                    tf.logging.warning("No new checkpoint ready for evaluation.")
                    warned = time.time()
            else:
                metrics = self._evaluated(name, path, input_fn) or {}
                if export:
                    self._maybe_export(metrics, checkpoint_path=path)
                evaluated = path
                warned = float("-inf")
            if (left := pause - (time.time() - start)) > 0:
                tf.logging.info("Waiting %f secs before starting next eval run.", left)
                time.sleep(left)

    def continuous_train_and_eval(self, continuous_eval_predicate_fn: Any = None) -> Any:
        """Trains some steps and evaluates, alternately; the input restarts in each.

        Args:
            continuous_eval_predicate_fn: says whether to go on, from the last metrics (None at
                first) and, if it takes that, ``checkpoint_path``.

        Returns:
            The metrics of the last round by name, and a list of what it exported.

        Raises:
            ValueError: the predicate cannot be called, or a round has no steps: train_steps is
                below ten and train_steps_per_iteration not given.
        """
        goes_on = _predicate(continuous_eval_predicate_fn)
        metrics = exports = path = None
        if (steps := self._train_steps_per_iteration) is None:
            limit = self._train_steps
            steps = _STEPS_OF_A_ROUND if limit is None else int(limit / 10)
        while goes_on(metrics, path if metrics else None):
            if self._has_training_stopped(metrics):
                tf.logging.info("Stop training model as max steps reached")
                break
            self._call_train(
                input_fn=self._train_input_fn,
                steps=steps,
                hooks=self._train_monitors,
                saving_listeners=self._saving_listeners,
            )
            path = tf.train.latest_checkpoint(self._estimator.model_dir)
            metrics = self._evaluated("one_pass", path)
            exports = self._maybe_export(metrics)
        return metrics, exports

    def _evaluated(
        self, name: str | None, checkpoint_path: str | None = None, input_fn: Any = None
    ) -> Any:
        """Evaluates a checkpoint, on the evaluation data by default."""
        return self._call_evaluate(
            input_fn=input_fn or self._eval_input_fn,
            steps=self._eval_steps,
            metrics=self._eval_metrics,
            name=name,
            checkpoint_path=checkpoint_path,
            hooks=self._eval_hooks,
        )

    def _has_training_stopped(self, eval_result: dict[str, Any] | None) -> bool:
        """Returns whether an evaluation was at or after ``train_steps``."""
        step = (eval_result or {}).get(tf.GraphKeys.GLOBAL_STEP)
        return bool(step and self._train_steps and step >= self._train_steps)


def _predicate(predicate: Any) -> Callable[[Any, str | None], Any]:
    """Returns a predicate of metrics and checkpoint; one that is always true for None."""
    if predicate is None:
        return lambda metrics, path: True
    if not callable(predicate):
        raise ValueError("`continuous_eval_predicate_fn` must be a callable, or None.")
    if "checkpoint_path" in inspect.signature(predicate).parameters:
        return lambda metrics, path: predicate(metrics, checkpoint_path=path)
    return lambda metrics, path: predicate(metrics)
