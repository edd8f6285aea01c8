"""tf.contrib.learn.learn_runner: makes an Experiment and calls one of its schedules."""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.tf1_shim.contrib.learn.experiment import Experiment
from tfmigrate_runtime.tf1_shim.contrib.learn.run_config import RunConfig, TaskType
from tfmigrate_runtime.training.hparams import HParams

_SCHEDULES = {
    TaskType.MASTER: "train_and_evaluate",
    TaskType.PS: "run_std_server",
    TaskType.WORKER: "train",
}


def run(
    experiment_fn: Callable[..., Experiment],
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: RunConfig | None = None,
    hparams: Any = None,
) -> Any:
    """Makes an Experiment and calls the method of it that is named, or that its task has.

    Args:
        experiment_fn: makes the Experiment from ``run_config`` and ``hparams``, or from
            ``output_dir``.
        output_dir: the folder, without a run_config.
        schedule: the name of the method; by default train_and_evaluate outside of clusters and for
            a master, train for a worker, run_std_server for a parameter server.
        run_config: of contrib.learn, with a model_dir.
        hparams: contrib.training's, or None.

    Returns:
        What the method returns.

    Raises:
        ValueError: arguments are missing or do not go together; there is no such method; the task
            has no default schedule.
        TypeError: experiment_fn makes no Experiment; what is named is not a method.
        RuntimeError: the Estimator did not get the run_config.
    """
    if output_dir is not None and run_config is not None:
        raise ValueError("Cannot provide both `output_dir` and `run_config`")
    if output_dir is None and run_config is None:
        raise ValueError("Must set value for `output_dir` or `run_config`")
    if not callable(experiment_fn):
        raise TypeError(f'Experiment builder "{experiment_fn}" is not callable.')
    if run_config is not None:
        experiment = _of_run_config(experiment_fn)(run_config=run_config, hparams=hparams)
    elif not output_dir:
        raise ValueError("Must specify an output directory")
    elif hparams is not None:
        raise ValueError("Must set `hparams` as None for `experiment_fn` with `output_dir`.")
    else:
        experiment = _require_experiment(experiment_fn(output_dir=output_dir))
    config = run_config or experiment.estimator.config
    return _called(experiment, schedule or _default_schedule(config))


def tune(experiment_fn: Callable[..., Experiment], tuner: Any) -> None:
    """Runs trials of a tuner, which calls ``experiment_fn`` with its own hparams."""
    while tuner.next_trial():
        tuner.run_experiment(_of_run_config(experiment_fn, require_hparams=True))


def _of_run_config(
    experiment_fn: Callable[..., Experiment], require_hparams: bool = False
) -> Callable[..., Experiment]:
    """Returns experiment_fn with a check that its Estimator has the run_config."""

    def checked(run_config: Any, hparams: Any) -> Experiment:
        if not isinstance(run_config, RunConfig):
            raise ValueError("`run_config` must be `tf.contrib.learn.RunConfig` instance")
        if not run_config.model_dir:
            raise ValueError("Must specify a model directory `model_dir` in `run_config`.")
        if hparams is not None and not isinstance(hparams, HParams):
            raise ValueError("`hparams` must be `HParams` instance")
        if require_hparams and hparams is None:
            raise ValueError("`hparams` cannot be `None`.")
        uid = run_config.uid()
        experiment = _require_experiment(experiment_fn(run_config, hparams))
        config = experiment.estimator.config
        if not hasattr(config, "uid"):
            raise RuntimeError(
                "Pass `run_config` argument of the `experiment_fn` to the Estimator in "
                "Experiment. It is likely a different `RunConfig` is passed to `Estimator` or the "
                "`config` constructor argument in `Estimator` is not set."
            )
        if config.uid() != uid:
            raise RuntimeError(
                "`RunConfig` instance is expected to be used by the `Estimator` inside the "
                f"`Experiment`. expected {uid}, but got {config.uid()}"
            )
        return experiment

    return checked


def _require_experiment(experiment: Any) -> Experiment:
    if not isinstance(experiment, Experiment):
        raise TypeError(
            "Experiment builder did not return an Experiment instance, "
            f"got {type(experiment)} instead."
        )
    return experiment


def _default_schedule(config: Any) -> str:
    jobs = config.cluster_spec.as_dict() if config and config.cluster_spec else {}
    if sum(len(tasks) for tasks in jobs.values()) <= 1:
        return "train_and_evaluate"
    if not config.task_type:
        raise ValueError("Must specify a schedule")
    if config.task_type not in _SCHEDULES:
        raise ValueError(f"No default schedule for task type: {config.task_type}")
    return _SCHEDULES[config.task_type]


def _called(experiment: Experiment, schedule: str) -> Any:
    problem = None
    if not hasattr(experiment, schedule):
        problem = ValueError(f"Schedule references non-existent task {schedule}")
    elif not callable(getattr(experiment, schedule)):
        problem = TypeError(f"Schedule references non-callable member {schedule}")  # type: ignore[assignment]
    if problem is not None:
        public = [name for name in dir(experiment) if not name.startswith("_")]
        tasks = [name for name in public if callable(getattr(experiment, name))]
        tf.logging.error("Allowed values for this experiment are: %s", tasks)
        raise problem
    return getattr(experiment, schedule)()
