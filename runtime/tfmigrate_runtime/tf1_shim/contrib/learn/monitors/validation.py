"""ValidationMonitor: evaluates new checkpoints in the training process, between steps."""

import copy
import time
from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import estimator as core_estimator
from tfmigrate_runtime.tf1_shim.contrib.learn.monitors.base import EveryN


class ValidationMonitor(EveryN):
    """Evaluates where there is a new checkpoint, and may stop the training.

    A checkpoint is looked for every ``every_n_steps`` steps, but not again within
    ``check_interval_secs`` seconds (semantics.md, 2).
    """

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Mapping[str, Any] | None = None,
        hooks: list[Any] | None = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        """Takes what to evaluate and when.

        Raises:
            ValueError: neither x nor input_fn is given.
        """
        super().__init__(every_n_steps=every_n_steps, first_n_steps=-1)
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        self.x, self.y, self.input_fn = x, y, input_fn
        self.batch_size, self.eval_steps = batch_size, eval_steps
        self.metrics, self.hooks = metrics, hooks
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_metric = early_stopping_metric
        self.early_stopping_metric_minimize = early_stopping_metric_minimize
        self.name, self._check_interval_secs = name, check_interval_secs
        self._last_check_time: float | None = None
        self._latest_path: str | None = None
        self._best_step: int | None = None
        self._best_value: Any = None
        self._best_metrics: dict[str, Any] | None = None
        self._early_stopped = False

    @property
    def early_stopped(self) -> bool:
        """Whether it stopped the training."""
        return self._early_stopped

    @property
    def best_step(self) -> int | None:
        """The step of the best evaluation."""
        return self._best_step

    @property
    def best_value(self) -> Any:
        """The best value of ``early_stopping_metric``."""
        return self._best_value

    @property
    def best_metrics(self) -> dict[str, Any] | None:
        """All metrics of the best evaluation."""
        return self._best_metrics

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

    def _evaluated(self) -> dict[str, Any]:
        arguments = {"input_fn": self.input_fn, "steps": self.eval_steps, "hooks": self.hooks}
        of_arrays = {
            "x": self.x,
            "y": self.y,
            "batch_size": self.batch_size,
            "metrics": self.metrics,
        }
        if not isinstance(self._estimator, core_estimator.Estimator):
            arguments.update(of_arrays)
        elif any(value is not None for value in of_arrays.values()):
            raise ValueError(
                "tf.estimator.Estimator does not support following arguments: x, y, batch_size, "
                "metrics. Should set as `None` in ValidationMonitor"
            )
        metrics: dict[str, Any] = self._estimator.evaluate(name=self.name, **arguments)
        return metrics

    def _is_too_late(self, step: int, metrics: dict[str, Any]) -> bool:
        if self.early_stopping_metric not in metrics:
            raise ValueError(
                f"Metric {self.early_stopping_metric} missing from outputs {set(metrics)}."
            )
        value, best = metrics[self.early_stopping_metric], self._best_value
        if best is None or (value < best if self.early_stopping_metric_minimize else value > best):
            self._best_value = value
            self._best_metrics = copy.deepcopy(metrics)
            self._best_step = step
        rounds = step - (self._best_step or 0)
        self._early_stopped = rounds >= (self.early_stopping_rounds or 0)
        if self._early_stopped:
            tf.logging.info(
                "Stopping. Best step: %s with %s = %s.",
                self._best_step,
                self.early_stopping_metric,
                self._best_value,
            )
        return self._early_stopped
