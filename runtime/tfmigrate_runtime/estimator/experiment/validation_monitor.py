"""Evaluations of new checkpoints between training steps (contrib.learn's ``ValidationMonitor``)."""

import copy
import operator
import time
from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.train.validation_fields import ValidationFields

_MANY = 1 << 30


class ValidationMonitor(ValidationFields, tf.train.SessionRunHook):  # type: ignore[misc]
    """Evaluates the latest checkpoint every so many steps, if it is a new one.

    It is a hook of training. What is evaluated is the checkpoint, which is usually older than the
    step (semantics.md, section 2): with ``every_n_steps=1`` the first evaluation is that of
    the checkpoint which training starts from.
    """

    def _plan(self, every_n_steps: int) -> None:
        self._every_n_steps = every_n_steps
        self._estimator: Any = None
        self._last_active_step = 0
        self._last_look: float | None = None
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
        results = self._evaluated()
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
