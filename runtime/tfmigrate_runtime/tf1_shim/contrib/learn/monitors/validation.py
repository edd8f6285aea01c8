"""ValidationMonitor: evaluates new checkpoints in the training process, between steps."""

import copy
import time
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.tf1_shim.contrib.learn.monitors.base import EveryN
from tfmigrate_runtime.train.validation_fields import ValidationFields


class ValidationMonitor(ValidationFields, EveryN):
    """Evaluates where there is a new checkpoint, and may stop the training.

    A checkpoint is looked for every ``every_n_steps`` steps, but not again within
    ``check_interval_secs`` seconds (semantics.md, 2).
    """

    def _plan(self, every_n_steps: int) -> None:
        EveryN.__init__(self, every_n_steps=every_n_steps, first_n_steps=-1)
        self._last_check_time: float | None = None

    def every_n_step_end(self, step: int, outputs: dict[Any, Any]) -> bool:
        """Evaluates a new checkpoint; returns True where no better one came for too long.

        Raises:
            ValueError: the metric is missing, or an argument is not for this Estimator.
        """
        super().every_n_step_end(step, outputs)
        if self._estimator is None:
            raise ValueError("Missing call to set_estimator.")
        if not self._has_new_checkpoint():
            return False
        metrics = self._evaluated()
        shown = ", ".join(f"{name} = {value}" for name, value in metrics.items())
        tf.logging.info("Validation (step %d): %s", step, shown)
        return self.early_stopping_rounds is not None and self._is_too_late(step, metrics)

    def _has_new_checkpoint(self) -> bool:
        now, last, pause = time.time(), self._last_check_time, self._check_interval_secs
        if pause is not None and last is not None and now - last <= pause:
            return False
        self._last_check_time = now
        path = tf.train.latest_checkpoint(self._estimator.model_dir)
        if path is None or path == self._latest_path:
            return False
        self._latest_path = path
        return True

    def _is_too_late(self, step: int, metrics: dict[str, Any]) -> bool:
        if self.early_stopping_metric not in metrics:
            raise ValueError(
                f"Metric {self.early_stopping_metric} missing from outputs {set(metrics)}."
            )
        value, best = metrics[self.early_stopping_metric], self.best_value
        if best is None or (value < best if self.early_stopping_metric_minimize else value > best):
            self.best_value = value
            self.best_metrics = copy.deepcopy(metrics)
            self.best_step = step
        rounds = step - (self.best_step or 0)
        self.early_stopped = rounds >= (self.early_stopping_rounds or 0)
        if self.early_stopped:
            tf.logging.info(
                "Stopping. Best step: %s with %s = %s.",
                self.best_step,
                self.early_stopping_metric,
                self.best_value,
            )
        return self.early_stopped
