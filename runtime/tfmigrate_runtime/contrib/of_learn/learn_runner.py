"""contrib.learn's learn_runner, for the Experiments and RunConfigs of both runtimes."""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.training.hparams import HParams

# "chief" has none: contrib.learn raised an error for it, and so does this.
_SCHEDULES = {"master": "train_and_evaluate", "worker": "train", "ps": "run_std_server"}


class LearnRunner:
    """Makes Experiments of one class, with RunConfigs of one kind, and runs their methods."""

    def __init__(self, experiment: type, is_run_config: Callable[[Any], bool]) -> None:
        self._experiment, self._is_run_config = experiment, is_run_config

    def run(
        self,
        experiment_fn: Callable[..., Any],
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
            schedule: the name of the method. None: ``train_and_evaluate`` where there is one
                process; in a cluster master has ``train_and_evaluate``, worker ``train`` and ps
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
            experiment = self._with_checked_config(experiment_fn, False)(run_config, hparams)
        elif not output_dir:
            raise ValueError("Must specify an output directory")
        elif hparams is not None:
            raise ValueError("Must set `hparams` as None for `experiment_fn` with `output_dir`.")
        else:
            experiment = self._checked(experiment_fn(output_dir=output_dir))
        config = run_config if run_config is not None else experiment.estimator.config
        return _method(experiment, schedule or _default_schedule(config))()

    def tune(self, experiment_fn: Callable[..., Any], tuner: Any) -> None:
        """Runs an Experiment for every trial of a tuner (``learn_runner.tune``).

        Args:
            experiment_fn: takes run_config and hparams, and returns an Experiment.
            tuner: has ``next_trial()`` and ``run_experiment(experiment_fn)``.
        """
        while tuner.next_trial():
            tuner.run_experiment(self._with_checked_config(experiment_fn, True))

    def _with_checked_config(
        self, experiment_fn: Callable[..., Any], requires_hparams: bool
    ) -> Callable[..., Any]:
        """Returns an experiment_fn that checks that its Estimator has the RunConfig."""

        def checked(run_config: Any, hparams: Any) -> Any:
            if not self._is_run_config(run_config):
                raise ValueError("`run_config` must be `tf.contrib.learn.RunConfig` instance")
            if not run_config.model_dir:
                raise ValueError("Must specify a model directory `model_dir` in `run_config`.")
            if hparams is None and requires_hparams:
                raise ValueError("`hparams` cannot be `None`.")
            if hparams is not None and not isinstance(hparams, HParams):
                raise ValueError("`hparams` must be `HParams` instance")
            expected = run_config.uid()
            experiment = self._checked(experiment_fn(run_config, hparams))
            config = experiment.estimator.config
            if not hasattr(config, "uid"):
                raise RuntimeError(
                    "Pass `run_config` argument of the `experiment_fn` to the Estimator in "
                    "Experiment. It is likely a different `RunConfig` is passed to `Estimator` or "
                    "the `config` constructor argument in `Estimator` is not set."
                )
            if config.uid() != expected:
                raise RuntimeError(
                    "`RunConfig` instance is expected to be used by the `Estimator` inside the "
                    f"`Experiment`. expected {expected}, but got {config.uid()}"
                )
            return experiment

        return checked

    def _checked(self, experiment: Any) -> Any:
        if not isinstance(experiment, self._experiment):
            raise TypeError(
                "Experiment builder did not return an Experiment instance, got "
                f"{type(experiment)} instead."
            )
        return experiment


def _default_schedule(config: Any) -> str:
    """Returns the name of the method that a RunConfig's task runs."""
    jobs = config.cluster_spec.as_dict() if config and config.cluster_spec else {}
    if sum(len(tasks) for tasks in jobs.values()) <= 1:
        return "train_and_evaluate"
    if not config.task_type:
        raise ValueError("Must specify a schedule")
    if config.task_type not in _SCHEDULES:
        raise ValueError(f"No default schedule for task type: {config.task_type}")
    return _SCHEDULES[config.task_type]


def _method(experiment: Any, schedule: str) -> Callable[[], Any]:
    method = getattr(experiment, schedule, None)
    if callable(method):
        return method  # type: ignore[no-any-return]
    public = [name for name in dir(experiment) if not name.startswith("_")]
    tasks = [name for name in public if callable(getattr(experiment, name))]
    tf.logging.error("Allowed values for this experiment are: %s", tasks)
    if hasattr(experiment, schedule):
        raise TypeError(f"Schedule references non-callable member {schedule}")
    raise ValueError(f"Schedule references non-existent task {schedule}")
