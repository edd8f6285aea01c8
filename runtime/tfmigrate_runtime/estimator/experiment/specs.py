"""Runs a TrainSpec and an EvalSpec with the schedule of an Experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfmigrate_runtime.estimator.experiment.experiment import Experiment
from tfmigrate_runtime.estimator.task import PS
from tfmigrate_runtime.train.export_strategy import ExportStrategy

if TYPE_CHECKING:
    from tfmigrate_runtime.estimator.estimator import Estimator
    from tfmigrate_runtime.estimator.train_spec import EvalSpec, ExperimentSchedule, TrainSpec


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec, schedule: ExperimentSchedule
) -> tuple[dict[str, Any] | None, list[Any] | None]:
    """Does what ``learn_runner.run`` did with an Experiment of the same parts.

    Args:
        estimator: the Estimator.
        train_spec: what to train on.
        eval_spec: what to evaluate with; its name must be None.
        schedule: when to evaluate.

    Returns:
        The metrics and the exporters' results of the last evaluation; in a cluster those of the
        chief, None of the other tasks.

    Raises:
        ValueError: the EvalSpec has a name, which an Experiment's evaluations had not.
    """
    if eval_spec.name is not None:
        raise ValueError("an EvalSpec with an ExperimentSchedule cannot have a name")
    experiment = Experiment(
        estimator,
        train_spec.input_fn,
        eval_spec.input_fn,
        train_steps=train_spec.max_steps,
        eval_steps=eval_spec.steps,
        train_monitors=train_spec.hooks,
        eval_hooks=eval_spec.hooks,
        min_eval_frequency=schedule.min_eval_frequency,
        check_interval_secs=schedule.check_interval_secs,
        saving_listeners=train_spec.saving_listeners or None,
        export_strategies=[_strategy(exporter) for exporter in eval_spec.exporters],
    )
    config = estimator.config
    if config.task.type == PS:
        experiment.run_std_server()
    elif config.is_chief:  # or the only one
        return experiment.train_and_evaluate()
    else:
        experiment.train()
    return None, None


def _strategy(exporter: Any) -> ExportStrategy:
    if isinstance(exporter, ExportStrategy):
        return exporter

    def export_fn(
        estimator: Any, export_path: str, checkpoint_path: str | None, eval_result: Any
    ) -> Any:
        return exporter.export(
            estimator=estimator,
            export_path=export_path,
            checkpoint_path=checkpoint_path or estimator.latest_checkpoint(),
            eval_result=eval_result,
            is_the_final_export=True,
        )

    return ExportStrategy(exporter.name, export_fn)
