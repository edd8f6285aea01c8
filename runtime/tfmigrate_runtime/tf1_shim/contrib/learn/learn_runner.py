"""tf.contrib.learn.learn_runner: makes an Experiment and calls one of its schedules."""

from collections.abc import Callable
from typing import Any

from tfmigrate_runtime.contrib.of_learn.learn_runner import LearnRunner
from tfmigrate_runtime.tf1_shim.contrib.learn.experiment import Experiment
from tfmigrate_runtime.tf1_shim.contrib.learn.run_config import RunConfig

_RUNNER = LearnRunner(Experiment, lambda config: isinstance(config, RunConfig))


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
    return _RUNNER.run(experiment_fn, output_dir, schedule, run_config, hparams)


def tune(experiment_fn: Callable[..., Experiment], tuner: Any) -> None:
    """Runs trials of a tuner, which calls ``experiment_fn`` with its own hparams."""
    _RUNNER.tune(experiment_fn, tuner)
