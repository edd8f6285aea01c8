"""Creates an Experiment and runs this process's part of it (``learn_runner``).

The Experiment's own schedules, and not tf.estimator.train_and_evaluate: that one does not evaluate
the checkpoint of step 0, nor as often (semantics.md, section 2).
"""

from collections.abc import Callable
from typing import Any

from tfmigrate_runtime.estimator.experiment.experiment import Experiment
from tfmigrate_runtime.training.hparams import HParams

__all__ = ["run", "tune"]

# "chief" has none: contrib.learn raised an error for it, and so does this.
_SCHEDULES = {"master": "train_and_evaluate", "worker": "train", "ps": "run_std_server"}


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
    if output_dir is not None and run_config is not None:
        raise ValueError("Cannot provide both `output_dir` and `run_config`")
    if output_dir is None and run_config is None:
        raise ValueError("Must set value for `output_dir` or `run_config`")
    if not callable(experiment_fn):
        raise TypeError(f'Experiment builder "{experiment_fn}" is not callable.')
    if run_config is not None:
        experiment = with_checked_config(experiment_fn)(run_config, hparams)
    else:
        if not output_dir:
            raise ValueError("Must specify an output directory")
        if hparams is not None:
            raise ValueError("Must set `hparams` as None for `experiment_fn` with `output_dir`.")
        experiment = _checked(experiment_fn(output_dir=output_dir))
    config = run_config if run_config is not None else experiment.estimator.config
    return _method(experiment, schedule or default_schedule(config))()


def tune(experiment_fn: Callable[..., Experiment], tuner: Any) -> None:
    """Runs an Experiment for every trial of a tuner (``learn_runner.tune``).

    Args:
        experiment_fn: takes run_config and hparams, and returns an Experiment.
        tuner: has ``next_trial()`` and ``run_experiment(experiment_fn)``.
    """
    while tuner.next_trial():
        tuner.run_experiment(with_checked_config(experiment_fn, requires_hparams=True))


def default_schedule(config: Any) -> str:
    """Returns the name of the method that a RunConfig's task runs.

    Raises:
        ValueError: there is none for its type.
    """
    spec = config.cluster_spec if config is not None else None
    tasks = sum(len(spec.job_tasks(job)) for job in spec.jobs) if spec else 0
    if tasks <= 1:
        return "train_and_evaluate"
    if not config.task_type:
        raise ValueError("Must specify a schedule")
    if config.task_type not in _SCHEDULES:
        raise ValueError(f"No default schedule for task type: {config.task_type}")
    return _SCHEDULES[config.task_type]


def with_checked_config(
    experiment_fn: Callable[..., Experiment], requires_hparams: bool = False
) -> Callable[..., Experiment]:
    """Returns an experiment_fn that checks that the Estimator has the RunConfig it was given."""

    def checked(run_config: Any, hparams: Any) -> Experiment:
        if not hasattr(run_config, "uid"):
            raise ValueError("`run_config` must be `tf.contrib.learn.RunConfig` instance")
        if not run_config.model_dir:
            raise ValueError("Must specify a model directory `model_dir` in `run_config`.")
        if hparams is None and requires_hparams:
            raise ValueError("`hparams` cannot be `None`.")
        if hparams is not None and not isinstance(hparams, HParams):
            raise ValueError(f"`hparams` must be `HParams` instance, given: {hparams!r}")
        expected = run_config.uid()
        experiment = _checked(experiment_fn(run_config, hparams))
        config = experiment.estimator.config
        if not hasattr(config, "uid"):
            raise RuntimeError(
                "Pass `run_config` argument of the `experiment_fn` to the Estimator in Experiment. "
                "It is likely a different `RunConfig` is passed to `Estimator` or the `config` "
                "constructor argument in `Estimator` is not set."
            )
        if config.uid() != expected:
            raise RuntimeError(
                "`RunConfig` instance is expected to be used by the `Estimator` inside the "
                f"`Experiment`. expected {expected}, but got {config.uid()}"
            )
        return experiment

    return checked


def _checked(experiment: Any) -> Experiment:
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"Experiment builder did not return an Experiment instance, got {type(experiment)} "
            "instead."
        )
    return experiment


def _method(experiment: Experiment, schedule: str) -> Callable[[], Any]:
    if not hasattr(experiment, schedule):
        names = [n for n in dir(experiment) if not n.startswith("_")]
        known = ", ".join(n for n in names if callable(getattr(experiment, n)))
        raise ValueError(f"Schedule references non-existent task {schedule}; there are {known}")
    method = getattr(experiment, schedule)
    if not callable(method):
        raise TypeError(f"Schedule references non-callable member {schedule}")
    return method  # type: ignore[no-any-return]
