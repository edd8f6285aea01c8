"""An Estimator with its inputs, and the ways to run them (``tf.contrib.learn.Experiment``).

What each method did, call by call, is in semantics.md, section 2; the methods here make the
same calls of ``train``, ``evaluate`` and the export strategies at the same global steps.
"""

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from unittest import mock

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import cluster
from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.experiment import continuous
from tfmigrate_runtime.estimator.experiment.evaluate_and_export import EvaluateAndExport
from tfmigrate_runtime.estimator.experiment.validation_monitor import ValidationMonitor
from tfmigrate_runtime.train.experiment_fields import ExperimentFields

_SECONDS_BETWEEN_WORKERS, _LONGEST_DELAY = 5, 60
_STEPS_BETWEEN_WORKERS = 8000.0
_NO_SERVER = (
    "Could not start server; be sure to specify cluster_spec, task_type, master, and "
    "task in RunConfig or set the TF_CONFIG environment variable."
)


class Experiment(ExperimentFields):
    """Training and evaluation of an Estimator; each method is a schedule."""

    def _check(self, estimator: Any, eval_metrics: Any, saving_listeners: Any) -> None:
        self._is_contrib = hasattr(estimator, "fit")
        if not self._is_contrib and not isinstance(estimator, Estimator):
            raise ValueError(
                "`estimator` must implement `tf.contrib.learn.Evaluable` or "
                f"`tf.estimator.Estimator`, given: {type(estimator).__name__}"
            )
        if not self._is_contrib and eval_metrics is not None:
            raise ValueError(
                "`eval_metrics` must be `None` with `tf.estimator.Estimator`. Use "
                "`eval_metric_ops` in `tf.estimator.EstimatorSpec` instead."
            )
        if self._is_contrib and saving_listeners is not None:
            raise ValueError("`saving_listeners` must be `None` with `tf.contrib.learn.Estimator`.")

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains to ``train_steps``.

        Args:
            delay_secs: how long to wait at first. None: 5 s for every worker before this one, 60 s
                at most; with ``delay_workers_by_global_step`` a global step instead.

        Returns:
            The Estimator.
        """
        return self._train(self._train_monitors, delay_secs)

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> Any:
        """Evaluates the latest checkpoint once.

        Args:
            delay_secs: how long to wait at first, None for ``eval_delay_secs``.
            name: the name of the evaluation, None for "one_pass".

        Returns:
            The metrics.
        """
        self.wait(self._eval_delay_secs if delay_secs is None else delay_secs)
        return self.call_evaluate(name=name or "one_pass")

    def train_and_evaluate(self) -> tuple[Any, list[Any] | None]:
        """Trains, evaluates new checkpoints between steps, and evaluates and exports at the end.

        It evaluates at the end also where training had nothing left to do.

        Returns:
            The metrics and what the export strategies returned.
        """
        config = self._estimator.config
        intervals = config.save_checkpoints_secs, config.save_checkpoints_steps
        if self._checkpoint_and_export and any(intervals):
            listener = EvaluateAndExport(self)
            saver = tf.train.CheckpointSaverHook(
                self._estimator.model_dir, *intervals, listeners=[listener]
            )
            self._train([*self._train_monitors, saver], delay_secs=0)
            return listener.metrics, listener.export_results
        monitors = list(self._train_monitors)
        if self._min_eval_frequency:
            monitors.append(
                ValidationMonitor(
                    input_fn=self._eval_input_fn,
                    eval_steps=self._eval_steps,
                    metrics=self._eval_metrics,
                    every_n_steps=self._min_eval_frequency,
                    check_interval_secs=self._check_interval_secs,
                    hooks=self._eval_hooks,
                )
            )
        self._train(monitors, delay_secs=0)
        metrics = self.call_evaluate()
        return metrics, self.export(metrics)

    def local_run(self) -> tuple[Any, list[Any] | None]:
        """Does ``train_and_evaluate`` with ``local_eval_frequency``."""
        with mock.patch.object(self, "_min_eval_frequency", self._local_eval_frequency or 0):
            return self.train_and_evaluate()

    def continuous_train_and_eval(
        self, continuous_eval_predicate_fn: Callable[..., bool] | None = None
    ) -> tuple[Any, list[Any] | None]:
        """Trains for some steps, then evaluates, and repeats; see ``continuous``."""
        if (steps := self._train_steps_per_iteration) is None:
            steps = 1000 if self._train_steps is None else int(self._train_steps / 10)
        return continuous.train_and_evaluate(self, steps, continuous_eval_predicate_fn)

    def continuous_eval(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Callable[..., bool] | None = None,
        name: str = "continuous",
    ) -> None:
        """Evaluates and exports new checkpoints until that of ``train_steps``.

        Args:
            delay_secs: how long to wait at first, None for ``eval_delay_secs``.
            throttle_delay_secs: the least time from one evaluation's start to the next's, None for
                ``continuous_eval_throttle_secs``.
            evaluate_checkpoint_only_once: whether a checkpoint is evaluated once only.
            continuous_eval_predicate_fn: see ``continuous.evaluate``.
            name: the name of the evaluation.
        """
        continuous.evaluate(
            self,
            self._eval_input_fn,
            name,
            *self._delays(delay_secs, throttle_delay_secs),
            evaluate_checkpoint_only_once,
            continuous_eval_predicate_fn,
            exports=True,
        )

    def continuous_eval_on_train_data(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        continuous_eval_predicate_fn: Callable[..., bool] | None = None,
        name: str = "continuous_on_train_data",
    ) -> None:
        """Does ``continuous_eval`` with the input of training, and without exports."""
        continuous.evaluate(
            self,
            self._train_input_fn,
            name,
            *self._delays(delay_secs, throttle_delay_secs),
            True,
            continuous_eval_predicate_fn,
            exports=False,
        )

    def test(self) -> Any:
        """Makes one training step, evaluates one batch, and exports.

        Returns:
            The metrics.
        """
        self.call_train(self._train_monitors, steps=1)
        metrics = self.call_evaluate(steps=1, name="one_pass", hooks=())
        self.export(metrics)
        return metrics

    def run_std_server(self) -> None:
        """Serves variables until the tasks that train have ended (in TensorFlow 1.x, forever).

        Raises:
            ValueError: there is no cluster.
        """
        config = self._estimator.config
        if not config.task.cluster:
            raise ValueError(_NO_SERVER)
        cluster.serve_parameters(config)

    def has_reached_train_steps(self, metrics: Mapping[str, Any] | None) -> bool:
        """Returns whether metrics are those of the last step."""
        step = (metrics or {}).get("global_step")
        return bool(step and self._train_steps and step >= self._train_steps)

    def call_train(
        self, monitors: Sequence[Any], steps: int | None = None, max_steps: int | None = None
    ) -> Any:
        """Trains the Estimator."""
        for monitor in monitors:
            if isinstance(monitor, ValidationMonitor):
                monitor.set_estimator(self._estimator)
        if self._is_contrib:
            return self._estimator.fit(
                input_fn=self._train_input_fn,
                steps=steps,
                max_steps=max_steps,
                monitors=list(monitors),
            )
        # By name, also the first: a class of the program's may have train(**arguments).
        return self._estimator.train(
            input_fn=self._train_input_fn,
            hooks=list(monitors),
            steps=steps,
            max_steps=max_steps,
            saving_listeners=self._saving_listeners,
        )

    def call_evaluate(self, **options: Any) -> Any:
        """Evaluates the Estimator.

        Args:
            **options: arguments of ``evaluate`` that differ from those of the Experiment.
        """
        arguments = {
            "input_fn": self._eval_input_fn,
            "steps": self._eval_steps,
            "hooks": self._eval_hooks,
            **options,
        }
        if self._is_contrib:
            arguments["metrics"] = self._eval_metrics
        return self._estimator.evaluate(**arguments)

    def export(self, metrics: Any, checkpoint_path: str | None = None) -> list[Any]:
        """Exports by every strategy, to ``<model_dir>/export/<name>``; returns their results."""
        base = os.path.join(self._estimator.model_dir, "export")
        return [
            strategy.export(
                self._estimator,
                os.path.join(base, strategy.name),
                checkpoint_path=checkpoint_path,
                eval_result=metrics,
            )
            for strategy in self._export_strategies
        ]

    def wait(self, seconds: float | None) -> None:
        """Waits, and says so."""
        if seconds:
            tf.logging.info("Waiting %s secs.", seconds)
            time.sleep(seconds)

    def _train(self, monitors: Sequence[Any], delay_secs: float | None) -> Any:
        before: list[Any] = []
        if delay_secs is None:
            number = self._estimator.config.task_id or 0
            delay_secs = min(_LONGEST_DELAY, _SECONDS_BETWEEN_WORKERS * number)
            if self._delay_workers_by_global_step:
                step = int(_STEPS_BETWEEN_WORKERS * math.log(number + 1))
                before, delay_secs = [tf.train.GlobalStepWaiterHook(step)], 0
        config = self._estimator.config
        in_cloud = getattr(config, "environment", "local") != "local"
        if in_cloud and config.cluster_spec and config.master and not config.task_type:
            raise ValueError(_NO_SERVER)  # it would train alone
        cluster.join(config)  # parameter servers end without those that they serve
        self.wait(delay_secs)
        return self.call_train([*monitors, *before], max_steps=self._train_steps)

    def _delays(
        self, delay_secs: float | None, throttle_delay_secs: float | None
    ) -> tuple[float | None, float]:
        if throttle_delay_secs is None:
            throttle_delay_secs = self._continuous_eval_throttle_secs
        return self._eval_delay_secs if delay_secs is None else delay_secs, throttle_delay_secs
