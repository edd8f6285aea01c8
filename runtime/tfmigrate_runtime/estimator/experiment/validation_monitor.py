"""Evaluations of new checkpoints between training steps (contrib.learn's ``ValidationMonitor``)."""

import copy
import operator
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

_MANY = 1 << 30


class ValidationMonitor(tf.train.SessionRunHook):  # type: ignore[misc]
    """Evaluates the latest checkpoint every so many steps, if it is a new one.

    It is a hook of training. What is evaluated is the checkpoint, which is usually older than the
    step (semantics.md, section 2): with ``every_n_steps=1`` the first evaluation is that of
    the checkpoint which training starts from.

    Attributes:
        early_stopped: whether it has ended training.
        best_step: the step at which the best metric was found, None before the first evaluation.
        best_value: the best metric.
        best_metrics: all metrics of that evaluation.
    """

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[..., Any] | None = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Any = None,
        hooks: Sequence[Any] | None = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        """Plans evaluations.

        Args:
            x: features as an array, for ``learn.Estimator``; else None.
            y: labels as an array, for ``learn.Estimator``; else None.
            input_fn: the input of evaluations.
            batch_size: rows of a batch of x and y.
            eval_steps: batches of an evaluation, None for all.
            every_n_steps: steps between two looks for a new checkpoint.
            metrics: MetricSpecs by name, for ``learn.Estimator``; else None.
            hooks: hooks of the evaluation session.
            early_stopping_rounds: end training when the metric has not been better for so many
                steps, None for never.
            early_stopping_metric: the name of that metric.
            early_stopping_metric_minimize: whether less is better.
            name: the name of the evaluation, for its folder of events.
            check_interval_secs: the least time between two looks, None for any.

        Raises:
            ValueError: there is neither x nor input_fn.
        """
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        self.input_fn, self.eval_steps, self.hooks = input_fn, eval_steps, hooks
        self.name = name
        # What only a learn.Estimator takes.
        self._arrays = {"x": x, "y": y, "batch_size": batch_size, "metrics": metrics}
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_metric = early_stopping_metric
        self.early_stopping_metric_minimize = early_stopping_metric_minimize
        self.early_stopped = False
        self.best_step: int | None = None
        self.best_value: Any = None
        self.best_metrics: Mapping[str, Any] | None = None
        self._every_n_steps = every_n_steps
        self._check_interval_secs = check_interval_secs
        self._estimator: Any = None
        self._last_active_step = 0
        self._last_look: float | None = None
        self._latest_path: str | None = None
        self._global_step: Any = None
        self._step, self._skipping = 0, False

    def set_estimator(self, estimator: Any) -> None:
        """Returns whose checkpoints are evaluated; ``Experiment`` and ``learn.Estimator`` do it.

        Raises:
            ValueError: it is already another's.
        """
        if self._estimator not in (None, estimator):
            raise ValueError("the ValidationMonitor belongs to another Estimator")
        self._estimator = estimator

    def begin(self) -> None:
        """Finds the global step.

        Raises:
            ValueError: no Estimator was set.
        """
        if self._estimator is None:
            raise ValueError(
                "Missing call to set_estimator: pass the ValidationMonitor to "
                "Experiment(train_monitors=[...]) or to learn.Estimator.fit(monitors=[...])"
            )
        self._global_step = tf.train.get_global_step()

    def before_run(self, run_context: Any) -> None:
        """Notes which step is about to be made: other workers may make some at the same time."""
        done = int(run_context.session.run(self._global_step))
        self._catch_up(done)
        self._step = done + 1

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Evaluates a new checkpoint when it is time to look for one."""
        if (step := self._step) < self._last_active_step + self._every_n_steps:
            return
        self._last_active_step = step
        if not self._is_time():
            return
        self._last_look = time.monotonic()
        path = tf.train.latest_checkpoint(self._estimator.model_dir)
        if path is None or path == self._latest_path:
            return
        self._latest_path = path
        results = self._evaluate()
        listed = ", ".join(f"{name} = {value}" for name, value in results.items())
        tf.logging.info("Validation (step %d): %s", step, listed)
        if self._is_enough(step, results):
            run_context.request_stop()

    def steps_without_me(self, global_step: int) -> int:
        """Returns how many of the next steps it need not see."""
        if not self._is_time():
            self._skipping = True
            return _MANY  # asked again soon
        self._catch_up(global_step)
        return self._last_active_step + self._every_n_steps - 1 - global_step

    def _catch_up(self, global_step: int) -> None:
        """Moves on to the last of the looks that it was not time for, and that were left out."""
        if self._skipping:
            missed = (global_step - self._last_active_step) // self._every_n_steps
            self._last_active_step += missed * self._every_n_steps
            self._skipping = False

    def _is_time(self) -> bool:
        if self._check_interval_secs is None or self._last_look is None:
            return True
        return time.monotonic() - self._last_look > self._check_interval_secs

    def _evaluate(self) -> Mapping[str, Any]:
        array_options = {name: value for name, value in self._arrays.items() if value is not None}
        if array_options and not hasattr(self._estimator, "fit"):
            raise ValueError(
                "tf.estimator.Estimator does not support following arguments: x, y, batch_size, "
                "metrics. Should set as `None` in ValidationMonitor"
            )
        results: Mapping[str, Any] = self._estimator.evaluate(
            input_fn=self.input_fn,
            steps=self.eval_steps,
            hooks=self.hooks,
            name=self.name,
            **array_options,
        )
        return results

    def _is_enough(self, step: int, results: Mapping[str, Any]) -> bool:
        if self.early_stopping_rounds is None:
            return False
        if (metric := self.early_stopping_metric) not in results:
            raise ValueError(f"Metric {metric} missing from outputs {sorted(results)}.")
        value = results[metric]
        better = operator.lt if self.early_stopping_metric_minimize else operator.gt
        if self.best_value is None or better(value, self.best_value):
            self.best_value, self.best_step = value, step
            self.best_metrics = copy.deepcopy(dict(results))
        assert self.best_step is not None
        if step - self.best_step < self.early_stopping_rounds:
            return False
        tf.logging.info(
            "Stopping. Best step: %s with %s = %s.", self.best_step, metric, self.best_value
        )
        self.early_stopped = True
        return True
