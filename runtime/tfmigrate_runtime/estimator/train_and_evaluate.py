"""Training with evaluations in between, in one process."""

import os
import time
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import cluster
from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.experiment import specs
from tfmigrate_runtime.estimator.task import EVALUATOR, PS
from tfmigrate_runtime.estimator.train_spec import EvalSpec, ExperimentSchedule, TrainSpec

_SECONDS_BETWEEN_LOOKS = 1.0


def train_and_evaluate(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    """Trains, and evaluates after checkpoints (``tf.estimator.train_and_evaluate``).

    In a cluster (TF_CONFIG) each task does its part: the chief and the workers train, parameter
    servers serve until those have ended, and the evaluator evaluates every new checkpoint until
    that of ``max_steps``. A master (the chief's name before 2018) evaluates, too, as one process:

    An evaluation follows every checkpoint but the first one's, unless the last evaluation was less
    than ``throttle_secs`` ago, and one follows the last checkpoint in any case. With
    ``EvalSpec(schedule=ExperimentSchedule())`` they are those of ``tf.contrib.learn.Experiment``
    (semantics.md, section 2).

    Args:
        estimator: the Estimator.
        train_spec: what to train on.
        eval_spec: what to evaluate with.

    Returns:
        The metrics and the exporters' results of the last evaluation, (None, None) where training
        had reached ``max_steps`` before. None in a cluster, as in TensorFlow 1.15, unless the
        EvalSpec has an ExperimentSchedule.

    Raises:
        ValueError: the RunConfig makes no checkpoints, or this is a second evaluator.
        TypeError: an argument is not of its kind.
    """
    _check("eval_spec", eval_spec, EvalSpec)
    if isinstance(eval_spec.schedule, ExperimentSchedule):
        _check("train_spec", train_spec, TrainSpec)
        return specs.train_and_evaluate(estimator, train_spec, eval_spec, eval_spec.schedule)
    _check("estimator", estimator, Estimator)
    config = estimator.config
    if config.task_type == EVALUATOR and config.task_id > 0:
        raise ValueError(
            "For distributed training, there can only be one `evaluator` task (with task id 0). "
            f"Given task id {config.task_id}"
        )
    _check("train_spec", train_spec, TrainSpec)
    if not config.save_checkpoints_secs and not config.save_checkpoints_steps:
        raise ValueError(
            "train_and_evaluate evaluates checkpoints: set RunConfig.save_checkpoints_steps or "
            "RunConfig.save_checkpoints_secs"
        )
    evaluator = _EvaluateCheckpoints(estimator, eval_spec, train_spec.max_steps)
    task = config.task
    if task.type == PS:
        cluster.serve_parameters(config)
        return None
    if task.type == EVALUATOR:
        evaluate_continuously(
            estimator,
            evaluator.evaluate,
            train_spec.max_steps,
            eval_spec.start_delay_secs,
            eval_spec.throttle_secs,
        )
        return None
    if not task.cluster:
        tf.logging.info("Running training and evaluation locally (non-distributed).")
        tf.logging.info(
            "Start train and evaluate loop. The evaluate will happen after every checkpoint. "
            "Checkpoint frequency is determined based on RunConfig arguments: "
            "save_checkpoints_steps %s or save_checkpoints_secs %s.",
            config.save_checkpoints_steps,
            config.save_checkpoints_secs,
        )
    evaluates = [evaluator] if config.evaluates else []
    estimator.train(
        input_fn=train_spec.input_fn,
        max_steps=train_spec.max_steps,
        hooks=train_spec.hooks,
        saving_listeners=[*evaluates, *train_spec.saving_listeners],
    )
    return None if task.cluster else (evaluator.metrics, evaluator.export_results)


def _check(name: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(
            f"`{name}` must have type `tf.estimator.{kind.__name__}`, given: {type(value).__name__}"
        )


class _EvaluateCheckpoints(tf.train.CheckpointSaverListener):  # type: ignore[misc]
    """Evaluates checkpoints as they are written, and at the end.

    Attributes:
        metrics: those of the last evaluation, None before the first.
        export_results: what the exporters returned then.
    """

    def __init__(self, estimator: Estimator, spec: EvalSpec, max_steps: int | None) -> None:
        self._estimator, self._spec = estimator, spec
        self._max_steps, self._first_save = max_steps, True
        self._last_evaluation: float | None = None
        self._last_step: int | None = None
        self.metrics: dict[str, Any] | None = None
        self.export_results: list[Any] | None = None

    def after_save(self, session: Any, global_step_value: int) -> None:
        if self._first_save:  # the checkpoint of the step that training started from
            self._first_save = False
            return
        now = time.monotonic()
        if (last := self._last_evaluation) is None or now - last >= self._spec.throttle_secs:
            self.evaluate(int(global_step_value))
        else:
            tf.logging.info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._spec.throttle_secs,
            )

    def end(self, session: Any, global_step_value: int) -> None:
        if self._last_step != int(global_step_value):
            self.evaluate(int(global_step_value))

    def evaluate(self, step: int) -> None:
        """Evaluates the latest checkpoint, of a global step, and exports."""
        spec = self._spec
        self._last_step = step
        self._last_evaluation = time.monotonic()
        self.metrics = self._estimator.evaluate(
            input_fn=spec.input_fn, steps=spec.steps, hooks=spec.hooks, name=spec.name
        )
        final = self._max_steps is not None and step >= self._max_steps
        path = self._estimator.latest_checkpoint()
        self.export_results = [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(self._estimator.model_dir, "export", exporter.name),
                checkpoint_path=path,
                eval_result=self.metrics,
                is_the_final_export=final,
            )
            for exporter in spec.exporters
        ]


def evaluate_continuously(
    estimator: Estimator,
    evaluate: Callable[[int], None],
    max_steps: int | None,
    start_delay_secs: float,
    throttle_secs: float,
) -> None:
    """Evaluates each new checkpoint until that of ``max_steps``.

    Args:
        estimator: the Estimator whose model_dir is looked at.
        evaluate: evaluates the latest checkpoint, whose global step it gets.
        max_steps: the step that training ends at, None if it never does.
        start_delay_secs: how long to wait before the first evaluation.
        throttle_secs: the time from the beginning of an evaluation to that of the next.

    Raises:
        TimeoutError: no new checkpoint came for ``session_creation_timeout_secs``.
    """
    time.sleep(start_delay_secs)
    limit = estimator.config.session_creation_timeout_secs
    evaluated: str | None = None
    waiting_since = time.monotonic()
    while True:
        if (path := estimator.latest_checkpoint()) is None or path == evaluated:
            if time.monotonic() - waiting_since > limit:
                raise TimeoutError(
                    f"no new checkpoint in {estimator.model_dir} for {limit} s "
                    "(RunConfig.session_creation_timeout_secs): check that the training tasks "
                    "are running"
                )
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            continue
        begin = waiting_since = time.monotonic()
        step = int(tf.train.load_variable(path, tf.GraphKeys.GLOBAL_STEP))
        evaluate(step)
        evaluated = path
        if max_steps is not None and step >= max_steps:
            return
        time.sleep(max(0.0, throttle_secs - (time.monotonic() - begin)))
