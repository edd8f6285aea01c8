"""Creates an Experiment and runs this process's part of it (``learn_runner``).

The Experiment's own schedules, and not tf.estimator.train_and_evaluate: that one does not evaluate
the checkpoint of step 0, nor as often (semantics.md, section 2).
"""

from collections.abc import Callable
from typing import Any

from tfmigrate_runtime.contrib.of_learn.learn_runner import LearnRunner
from tfmigrate_runtime.estimator.experiment.experiment import Experiment

__all__ = ["run", "tune"]

_RUNNER = LearnRunner(Experiment, lambda config: hasattr(config, "uid"))


def run(
    experiment_fn: Callable[..., Experiment],
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: Any = None,
    hparams: Any = None,
) -> Any:
    """Makes an Experiment and calls one of its methods (``learn_runner.run``).

    Args:
        experiment_fn: takes ``output_dir``, or ``run_config`` and ``hparams``; returns an
            Experiment.
        output_dir: what it gets; then run_config and hparams are None.
        schedule: the name of the method. None: ``train_and_evaluate`` where there is one process;
            in a cluster master has ``train_and_evaluate``, worker ``train`` and ps
            ``run_std_server`` (semantics.md, section 2).
        run_config: a ``learn.RunConfig`` with a model_dir, which the Estimator must be given.
        hparams: HParams, or None.

    Returns:
        What the method returns.

    Raises:
        ValueError: the arguments contradict one another, or there is no such method.
        TypeError: experiment_fn is not a function, or returns no Experiment.
        RuntimeError: the Estimator was given another RunConfig.
    """
    return _RUNNER.run(experiment_fn, output_dir, schedule, run_config, hparams)


def tune(experiment_fn: Callable[..., Experiment], tuner: Any) -> None:
    """Runs an Experiment for every trial of a tuner (``learn_runner.tune``).

    Args:
        experiment_fn: takes run_config and hparams, and returns an Experiment.
        tuner: has ``next_trial()`` and ``run_experiment(experiment_fn)``.
    """
    _RUNNER.tune(experiment_fn, tuner)
