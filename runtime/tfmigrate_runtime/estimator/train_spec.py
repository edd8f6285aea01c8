"""What ``train_and_evaluate`` trains on and evaluates with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from tfmigrate_runtime.estimator.exporters import Exporter
from tfmigrate_runtime.estimator.spec import checked_hooks
from tfmigrate_runtime.train.export_strategy import ExportStrategy
from tfmigrate_runtime.train.passed_on import with_fields

_EXPORTERS = (Exporter, ExportStrategy)


class _TrainFields(NamedTuple):
    input_fn: Callable[..., Any]
    max_steps: int | None
    hooks: tuple[Any, ...]
    saving_listeners: tuple[Any, ...]


class TrainSpec(_TrainFields):
    """The training part of ``train_and_evaluate`` (``tf.estimator.TrainSpec``).

    Attributes:
        input_fn: the input function.
        max_steps: the global step at which training ends, None for the end of the input.
        hooks: hooks of the training session.
        saving_listeners: called around every checkpoint.
    """

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        max_steps: int | None = None,
        hooks: Sequence[Any] | None = None,
        saving_listeners: Sequence[Any] | None = None,
    ) -> TrainSpec:
        """Checks the values.

        Raises:
            ValueError: max_steps is not positive.
            TypeError: input_fn is not a function, or a hook is not a SessionRunHook.
        """
        _check_input_fn(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
        return super().__new__(
            cls, input_fn, max_steps, checked_hooks(hooks), tuple(saving_listeners or ())
        )


class _EvalFields(NamedTuple):
    input_fn: Callable[..., Any]
    steps: int | None
    name: str | None
    hooks: tuple[Any, ...]
    exporters: tuple[Any, ...]
    start_delay_secs: int
    throttle_secs: int
    schedule: ExperimentSchedule | None


class ExperimentSchedule(NamedTuple):
    """When ``tf.contrib.learn.Experiment`` evaluated and exported (semantics.md, section 2).

    It evaluates the checkpoint that training starts from, new checkpoints at most every
    ``check_interval_secs``, and again at the end, also where training had nothing left to do;
    it exports at the end. In a cluster the chief evaluates, between its own training steps.

    Attributes:
        min_eval_frequency: steps between two looks for a new checkpoint; 1 if None; 0 evaluates at
            the end only.
        check_interval_secs: the least time between two looks.
    """

    min_eval_frequency: int | None = None
    check_interval_secs: float | None = 5


class EvalSpec(_EvalFields):
    """The evaluation part of ``train_and_evaluate`` (``tf.estimator.EvalSpec``).

    Attributes:
        input_fn: the input function.
        steps: batches of an evaluation, None for all.
        name: the name of the evaluation, for its folder of events.
        hooks: hooks of the evaluation session.
        exporters: objects with a name and ``export(estimator, export_path, checkpoint_path,
            eval_result, is_the_final_export)``.
        start_delay_secs: seconds before the first evaluation of an evaluator job; one process
            does not wait.
        throttle_secs: the least number of seconds between two evaluations.
        schedule: None for that of tf.estimator; an ExperimentSchedule replaces both delays.
    """

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        steps: int | None = 100,
        name: str | None = None,
        hooks: Sequence[Any] | None = None,
        exporters: Any = None,
        start_delay_secs: int = 120,
        throttle_secs: int = 600,
        *,
        schedule: ExperimentSchedule | None = None,
    ) -> EvalSpec:
        """Checks the values.

        Raises:
            ValueError: steps is not positive, a delay is negative, or exporters have no names or
                the same: they would write into one folder.
            TypeError: input_fn is not a function, name no string, a hook no SessionRunHook, an
                exporter no Exporter, or schedule no ExperimentSchedule.
        """
        _check_input_fn(input_fn)
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        for delay, secs in (("start_delay", start_delay_secs), ("throttle", throttle_secs)):
            if secs < 0:
                raise ValueError(f"Must specify {delay}_secs >= 0, given: {secs}")
        if schedule is not None and not isinstance(schedule, ExperimentSchedule):
            raise TypeError(f"schedule must be an ExperimentSchedule, given: {schedule}")
        hooks, exporters = checked_hooks(hooks), _checked_exporters(exporters)
        return with_fields(cls, locals())


def _check_input_fn(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")


def _checked_exporters(exporters: Any) -> tuple[Any, ...]:
    """Returns none, one or several exporters, or ExportStrategies of contrib.learn, as a tuple.

    Raises:
        TypeError: one is not an Exporter.
        ValueError: one has no name, or two have the same.
    """
    if not exporters:
        return ()
    candidates = (exporters,) if isinstance(exporters, _EXPORTERS) else exporters
    checked = tuple(candidates) if isinstance(candidates, Iterable) else (None,)
    if not all(isinstance(each, _EXPORTERS) for each in checked):
        raise TypeError(
            f"`exporters` must be an Exporter, an iterable of Exporter, or None, given: {exporters}"
        )
    # Experiment did not look at the names of its ExportStrategies.
    names = [each.name for each in checked if isinstance(each, Exporter)]
    for name in names:
        if not name:
            raise ValueError(
                "An Exporter cannot have a name that is `None` or empty. "
                f"All exporter names: {names}"
            )
        if not isinstance(name, str):
            raise ValueError(f"An Exporter must have a string name. All exporter names: {names}")
    if len(set(names)) < len(names):
        raise ValueError(f"`exporters` must have unique names. All exporter names: {names}")
    return checked
