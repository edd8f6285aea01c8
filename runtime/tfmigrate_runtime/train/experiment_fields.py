"""What both runtimes' Experiments hold (``tf.contrib.learn.Experiment``)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfmigrate_runtime.train import export_strategy


class ExperimentFields:
    """An Estimator with its inputs, and what its schedules need."""

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable[..., Any],
        eval_input_fn: Callable[..., Any],
        eval_metrics: Mapping[str, Any] | None = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Sequence[Any] | None = None,
        eval_hooks: Sequence[Any] | None = None,
        local_eval_frequency: int | None = None,
        eval_delay_secs: float | None = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: int | None = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: Any = None,
        train_steps_per_iteration: int | None = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Sequence[Any] | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        """Takes what the methods need.

        Args:
            estimator: an ``estimator.Estimator`` or a ``learn.Estimator``.
            train_input_fn: the input of training.
            eval_input_fn: the input of evaluations.
            eval_metrics: metrics by name, for ``learn.Estimator``; else None.
            train_steps: the global step to train to, None for the end of the input.
            eval_steps: batches of an evaluation, None for all.
            train_monitors: hooks of training, ValidationMonitors among them.
            eval_hooks: hooks of evaluations.
            local_eval_frequency: ``min_eval_frequency`` of ``local_run``; None evaluates at the end
                only.
            eval_delay_secs: how long ``evaluate`` and ``continuous_eval`` wait at first.
            continuous_eval_throttle_secs: the least time from one evaluation's start to the next's
                in ``continuous_eval``.
            min_eval_frequency: in ``train_and_evaluate``, steps between two looks for a new
                checkpoint to evaluate: 1 if None; 0 evaluates at the end only.
            delay_workers_by_global_step: whether workers start at global steps of their own rather
                than after seconds of their own.
            export_strategies: an ExportStrategy, several, or None.
            train_steps_per_iteration: steps between evaluations in ``continuous_train_and_eval``;
                None: a tenth of train_steps, 1000 without those.
            checkpoint_and_export: whether ``train_and_evaluate`` evaluates and exports every
                checkpoint as it is written, instead of looking for new ones.
            saving_listeners: called around every checkpoint.
            check_interval_secs: the least time between two looks.

        Raises:
            ValueError: the estimator is none, or an argument is not for its kind.
        """
        self._check(estimator, eval_metrics, saving_listeners)
        if train_steps_per_iteration is not None and not isinstance(train_steps_per_iteration, int):
            raise ValueError("`train_steps_per_iteration` must be an integer.")
        self._estimator, self._train_input_fn = estimator, train_input_fn
        self._eval_input_fn, self._eval_metrics = eval_input_fn, eval_metrics
        self._train_steps, self._eval_steps = train_steps, eval_steps
        self._train_monitors = list(train_monitors or ())
        self._eval_hooks = list(eval_hooks or ())
        self._local_eval_frequency = local_eval_frequency
        self._eval_delay_secs = eval_delay_secs
        self._continuous_eval_throttle_secs = continuous_eval_throttle_secs
        self._min_eval_frequency = 1 if min_eval_frequency is None else min_eval_frequency
        self._delay_workers_by_global_step = delay_workers_by_global_step
        self._export_strategies = export_strategy.listed(export_strategies)
        self._train_steps_per_iteration = train_steps_per_iteration
        self._checkpoint_and_export = checkpoint_and_export
        self._saving_listeners = saving_listeners
        self._check_interval_secs = check_interval_secs

    @property
    def estimator(self) -> Any:
        """The Estimator."""
        return self._estimator

    @property
    def eval_metrics(self) -> Mapping[str, Any] | None:
        """MetricSpecs by name, for ``learn.Estimator``."""
        return self._eval_metrics

    @property
    def train_steps(self) -> int | None:
        """The global step at which training ends, None for the end of the input."""
        return self._train_steps

    @property
    def eval_steps(self) -> int | None:
        """Batches of an evaluation, None for all."""
        return self._eval_steps

    def extend_train_hooks(self, additional_hooks: Sequence[Any]) -> None:
        """Adds hooks of training."""
        self._train_monitors.extend(additional_hooks)

    def reset_export_strategies(
        self, new_export_strategies: Any = None
    ) -> tuple[export_strategy.ExportStrategy, ...]:
        """Replaces the export strategies, and returns the old ones."""
        old, self._export_strategies = (
            self._export_strategies,
            export_strategy.listed(new_export_strategies),
        )
        return old

    def _check(self, estimator: Any, eval_metrics: Any, saving_listeners: Any) -> None:
        """Raises ValueError where arguments are not for the kind of the Estimator."""
        raise NotImplementedError
