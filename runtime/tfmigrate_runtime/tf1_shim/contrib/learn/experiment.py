"""tf.contrib.learn.Experiment: an Estimator, its input, and schedules of training and evaluation.

What each schedule calls, in which order, is in semantics.md, 2.
"""

# A model_dir may be a URL (gs://...), which pathlib would mangle.
# ruff: noqa: PTH118

import math
import os
import time
from typing import Any
from unittest import mock

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import estimator as core_estimator
from tfmigrate_runtime.contrib.of_learn.interfaces import Evaluable, Trainable
from tfmigrate_runtime.tf1_shim.contrib.learn.continuous import ContinuousSchedules
from tfmigrate_runtime.tf1_shim.contrib.learn.monitors.hooks import replace_monitors_with_hooks
from tfmigrate_runtime.tf1_shim.contrib.learn.monitors.validation import ValidationMonitor
from tfmigrate_runtime.tf1_shim.contrib.learn.run_config import Environment, RunConfig

_STEPS_OF_LOGARITHM = 8000.0  # 5545 global steps for the second worker
_SECONDS_OF_A_WORKER = 5
_LONGEST_DELAY = 60


class EvalAndExportListener(tf.train.CheckpointSaverListener):  # type: ignore[misc]
    """Evaluates and exports every checkpoint as soon as it is saved."""

    def __init__(self, eval_fn: Any, export_fn: Any, model_dir: str) -> None:
        """Takes ``eval_fn(name, checkpoint_path)`` and ``export_fn(result, checkpoint_path)``."""
        self._eval_fn, self._export_fn = eval_fn, export_fn
        self._model_dir = model_dir
        self._path: str | None = None
        self.eval_result: Any = None
        self.export_results: Any = None

    def after_save(self, session: Any, global_step_value: int) -> None:
        """Evaluates and exports the latest checkpoint, if that is a new one."""
        if not (path := tf.train.latest_checkpoint(self._model_dir)) or path == self._path:
            tf.logging.warning("Skipping evaluation: no new checkpoint in %s.", self._model_dir)
            return
        self._path = path
        self.eval_result = self._eval_fn(name="intermediate_export", checkpoint_path=path)
        self.export_results = self._export_fn(self.eval_result, checkpoint_path=path)


class Experiment(ContinuousSchedules):
    """Schedules for one Estimator.

    Programs subclass it; the attributes and methods with one underscore that they use are those of
    TensorFlow 1.15.
    """

    def _check(self, estimator: Any, eval_metrics: Any, saving_listeners: Any) -> None:
        self._core_estimator_used = isinstance(estimator, core_estimator.Estimator)
        if self._core_estimator_used:
            if eval_metrics is not None:
                raise ValueError(
                    "`eval_metrics` must be `None` with `tf.estimator.Estimator`. "
                    "Use `eval_metric_ops` in `tf.estimator.EstimatorSpec` instead."
                )
            return
        for kind in (Evaluable, Trainable):
            if not isinstance(estimator, kind):
                raise ValueError(
                    f"`estimator` must implement `tf.contrib.learn.{kind.__name__}` "
                    "or `tf.estimator.Estimator`."
                )
        if saving_listeners is not None:
            raise ValueError("`saving_listeners` must be `None` with `tf.contrib.learn.Estimator`.")

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains to the global step ``train_steps``, on workers after a delay.

        Args:
            delay_secs: None for five seconds for each worker before this one, at most sixty; or,
                with ``delay_workers_by_global_step``, for a wait until others have made steps.

        Returns:
            What the Estimator returns: itself.

        Raises:
            ValueError: a cluster is set, in a RunConfig that is not one of contrib.learn.
        """
        start = time.time()
        self._start_server_of_cluster()
        hooks = list(self._train_monitors)
        if delay_secs is None:
            task = self._estimator.config.task_id or 0
            delay_secs = min(_LONGEST_DELAY, task * _SECONDS_OF_A_WORKER)
            if self._delay_workers_by_global_step:
                delay_secs = 0
                steps = int(_STEPS_OF_LOGARITHM * math.log(task + 1))
                hooks.append(tf.train.GlobalStepWaiterHook(steps))
        if delay_secs > 0:
            left = delay_secs - (time.time() - start)
            tf.logging.info("Waiting %d secs before starting training.", left)
            time.sleep(delay_secs)
        return self._call_train(
            input_fn=self._train_input_fn,
            max_steps=self._train_steps,
            hooks=hooks,
            saving_listeners=self._saving_listeners,
        )

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> Any:
        """Evaluates the latest checkpoint, after ``eval_delay_secs``; returns metrics by name."""
        delay_secs = self._eval_delay_secs if delay_secs is None else delay_secs
        if delay_secs:
            tf.logging.info("Waiting %d secs before starting eval.", delay_secs)
            time.sleep(delay_secs)
        return self._evaluated(name=name or "one_pass")

    def local_run(self) -> Any:
        """Trains and evaluates every ``local_eval_frequency`` steps, None for at the end only."""
        with mock.patch.object(self, "_min_eval_frequency", self._local_eval_frequency):
            return self.train_and_evaluate()

    def train_and_evaluate(self) -> Any:
        """Trains, and evaluates in between and at the end, in this process.

        Returns:
            The metrics of the last evaluation by name, and a list of what was exported.
        """
        config = self._estimator.config
        saves = config.save_checkpoints_secs or config.save_checkpoints_steps
        if self._checkpoint_and_export and saves:
            return self._train_with_exports(config)
        watching = list(self._train_monitors)
        if self._min_eval_frequency:
            monitor = ValidationMonitor(
                input_fn=self._eval_input_fn,
                eval_steps=self._eval_steps,
                metrics=self._eval_metrics,
                every_n_steps=self._min_eval_frequency,
                check_interval_secs=self._check_interval_secs,
                name=None,
                hooks=self._eval_hooks,
            )
            watching.append(monitor)
        with mock.patch.object(self, "_train_monitors", watching):
            self.train(delay_secs=0)
        metrics = self._evaluated(name=None)
        return metrics, self._maybe_export(metrics)

    def _train_with_exports(self, config: Any) -> Any:
        """Trains with an evaluation and an export of every checkpoint; none more at the end."""
        listener = EvalAndExportListener(
            self._evaluated, self._maybe_export, self._estimator.model_dir
        )
        saver = tf.train.CheckpointSaverHook(
            checkpoint_dir=self._estimator.model_dir,
            save_secs=config.save_checkpoints_secs,
            save_steps=config.save_checkpoints_steps,
            listeners=[listener],
        )
        with mock.patch.object(self, "_train_monitors", [*self._train_monitors, saver]):
            self.train(delay_secs=0)
        return listener.eval_result, listener.export_results

    def test(self) -> Any:
        """Makes one step more, evaluates one batch and exports; returns the metrics."""
        self._call_train(
            input_fn=self._train_input_fn,
            steps=1,
            hooks=self._train_monitors,
            saving_listeners=self._saving_listeners,
        )
        metrics = self._call_evaluate(
            input_fn=self._eval_input_fn, steps=1, metrics=self._eval_metrics, name="one_pass"
        )
        self._maybe_export(metrics)
        return metrics

    def run_std_server(self) -> None:
        """Serves this task of the cluster, forever.

        Raises:
            ValueError: the RunConfig has no cluster, task or address.
        """
        self._start_server().join()

    def _start_server_of_cluster(self) -> None:
        """Starts this task's server where training needs one, before any delay."""
        config = self._estimator.config
        if not config.cluster_spec or not config.master:
            return
        if not isinstance(config, RunConfig):
            raise ValueError(
                "For distributed runtime, Experiment class only works with "
                f"tf.contrib.learn.RunConfig for now, but provided {type(config)}"
            )
        if config.environment == Environment.LOCAL:
            tf.logging.warning(
                "ClusterSpec and master are provided, but environment is set to 'local'. Set "
                "environment to 'cloud' if you intend to use the distributed runtime."
            )
        elif config.environment != Environment.GOOGLE:
            self._start_server()

    def _start_server(self) -> Any:
        config = self._estimator.config
        needed = (config.cluster_spec, config.task_type, config.master)
        if not all(needed) or config.task_id is None:
            raise ValueError(
                "Could not start server; be sure to specify cluster_spec, task_type, master, and "
                "task in RunConfig or set the TF_CONFIG environment variable."
            )
        server = tf.train.Server(
            config.cluster_spec,
            job_name=config.task_type,
            task_index=config.task_id,
            config=config.tf_config,
            start=False,
        )
        server.start()
        return server

    def _call_train(
        self,
        input_fn: Any = None,
        steps: int | None = None,
        hooks: Any = None,
        max_steps: int | None = None,
        saving_listeners: Any = None,
    ) -> Any:
        """Trains the Estimator, of whichever kind it is."""
        hooks = replace_monitors_with_hooks(hooks, self._estimator)
        limits = {"input_fn": input_fn, "steps": steps, "max_steps": max_steps}
        if self._core_estimator_used:
            return self._estimator.train(hooks=hooks, saving_listeners=saving_listeners, **limits)
        return self._estimator.fit(monitors=hooks, **limits)

    def _call_evaluate(
        self,
        input_fn: Any = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
    ) -> Any:
        """Evaluates the Estimator, of whichever kind it is.

        Raises:
            ValueError: metrics are given for a tf.estimator.Estimator.
        """
        arguments = {
            "input_fn": input_fn,
            "steps": steps,
            "name": name,
            "checkpoint_path": checkpoint_path,
            "hooks": hooks,
        }
        if not self._core_estimator_used:
            return self._estimator.evaluate(metrics=metrics, **arguments)
        if metrics is not None:
            raise ValueError("`eval_metrics` must be `None` with `tf.estimator.Estimator`")
        return self._estimator.evaluate(**arguments)

    def _maybe_export(self, eval_result: Any, checkpoint_path: str | None = None) -> list[Any]:
        """Exports by every strategy, below ``<model_dir>/export/<name>``, given as bytes."""
        base = tf.compat.as_bytes(os.path.join(self._estimator.model_dir, "export"))
        return [
            strategy.export(
                self._estimator,
                os.path.join(base, tf.compat.as_bytes(strategy.name)),
                checkpoint_path=checkpoint_path,
                eval_result=eval_result,
            )
            for strategy in self._export_strategies
        ]
