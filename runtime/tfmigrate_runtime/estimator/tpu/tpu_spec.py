"""What a model function returns to a TPUEstimator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.summaries import summary_writer_initializer_op
from tfmigrate_runtime.estimator.spec import EstimatorSpec
from tfmigrate_runtime.train.passed_on import pass_on, with_fields

HostCall = tuple[Callable[..., Any], Sequence[Any] | Mapping[str, Any]]


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metrics: HostCall | None
    export_outputs: Mapping[str, Any] | None
    scaffold_fn: Callable[[], Any] | None
    host_call: HostCall | None
    training_hooks: tuple[Any, ...]
    evaluation_hooks: tuple[Any, ...]
    prediction_hooks: tuple[Any, ...]


class TPUEstimatorSpec(_Fields):
    """An EstimatorSpec whose metrics are a function and the tensors that it takes.

    Attributes:
        mode: as in EstimatorSpec, and so the predictions, loss, train_op, export_outputs and hooks.
        eval_metrics: (function, tensors by position or by name): it returns the metrics by name.
        scaffold_fn: returns the ``tf.train.Scaffold``.
        host_call: (function, tensors): what it returns is run at every step.
    """

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metrics: HostCall | None = None,
        export_outputs: Mapping[str, Any] | None = None,
        scaffold_fn: Callable[[], Any] | None = None,
        host_call: HostCall | None = None,
        training_hooks: Sequence[Any] | None = None,
        evaluation_hooks: Sequence[Any] | None = None,
        prediction_hooks: Sequence[Any] | None = None,
    ) -> TPUEstimatorSpec:
        """Checks that everything the mode needs is there.

        Raises:
            ValueError: something the mode needs is missing, or a pair is none.
            TypeError: the first of a pair is not a function, or a hook is not a SessionRunHook.
            RuntimeError: a function takes another number of tensors than there are.
        """
        for name, pair in (("eval_metrics", eval_metrics), ("host_call", host_call)):
            if pair is not None:
                _check(name, pair)
        checked = pass_on(EstimatorSpec, locals())
        return with_fields(cls, {**locals(), **checked._asdict()})

    def as_estimator_spec(self) -> EstimatorSpec:
        """Returns the EstimatorSpec that means the same on a CPU or GPU."""
        metrics = _called(self.eval_metrics) if self.eval_metrics is not None else None
        hooks: tuple[Any, ...] = ()
        if self.host_call is not None:
            hooks = (_HostCallHook(_called(self.host_call)),)
        return EstimatorSpec(
            self.mode,
            self.predictions,
            self.loss,
            self.train_op,
            metrics,
            self.export_outputs,
            None,
            self.training_hooks + hooks,
            self.scaffold_fn() if self.scaffold_fn else None,
            self.evaluation_hooks + hooks,
            self.prediction_hooks + hooks,
        )


class _HostCallHook(tf.train.SessionRunHook):  # type: ignore[misc]
    """Runs what a host call returned at every step, and the writers of its summaries."""

    def __init__(self, tensors: Any) -> None:
        self._tensors = tensors
        self._start: list[Any] = []
        self._end: list[Any] = []

    def begin(self) -> None:
        self._start = summary_writer_initializer_op()
        self._end = [tf.raw_ops.FlushSummaryWriter(writer=op.inputs[0]) for op in self._start]

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._start)

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._tensors)

    def end(self, session: Any) -> None:
        session.run(self._end)


def _called(pair: HostCall) -> Any:
    function, tensors = pair
    return function(**tensors) if isinstance(tensors, Mapping) else function(*tensors)


def _check(name: str, pair: Any) -> None:
    if not isinstance(pair, (tuple, list)):
        raise ValueError(f"{name} should be tuple or list")
    if len(pair) != 2:
        raise ValueError(f"{name} should have two elements.")
    function, tensors = pair
    if not callable(function):
        raise TypeError(f"{name}[0] should be callable.")
    if not isinstance(tensors, (tuple, list, dict)):
        raise ValueError(f"{name}[1] should be tuple or list, or dict.")
    parameters = inspect.signature(function).parameters.values()
    if isinstance(tensors, dict) or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return
    if len(tensors) != len(parameters):
        raise RuntimeError(
            f"In TPUEstimatorSpec.{name}, length of tensors {len(tensors)} does not match method "
            f"args of the function, which takes {len(parameters)}."
        )
