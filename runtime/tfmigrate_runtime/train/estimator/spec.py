"""What a model function returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.train.estimator.mode_keys import ModeKeys


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Mapping[str, Any]
    export_outputs: Mapping[str, Any] | None
    training_chief_hooks: tuple[Any, ...]
    training_hooks: tuple[Any, ...]
    scaffold: Any
    evaluation_hooks: tuple[Any, ...]
    prediction_hooks: tuple[Any, ...]


class EstimatorSpec(_Fields):
    """Operations and objects returned by a model function (``tf.estimator.EstimatorSpec``).

    Attributes:
        mode: one of ModeKeys.
        predictions: a tensor, or tensors by name; required for PREDICT.
        loss: scalar (or shape [1]) float tensor; required for TRAIN and EVAL.
        train_op: op or tensor that trains one step; required for TRAIN.
        eval_metric_ops: for each name (value tensor, update op), or a Keras metric.
        export_outputs: outputs of a SavedModel by the name of their signature.
        training_chief_hooks: hooks of the chief's training session.
        training_hooks: hooks of every training session.
        scaffold: a ``tf.train.Scaffold``, None for the default.
        evaluation_hooks: hooks of the evaluation session.
        prediction_hooks: hooks of the prediction session.
    """

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Mapping[str, Any] | None = None,
        export_outputs: Mapping[str, Any] | None = None,
        training_chief_hooks: Sequence[Any] | None = None,
        training_hooks: Sequence[Any] | None = None,
        scaffold: Any = None,
        evaluation_hooks: Sequence[Any] | None = None,
        prediction_hooks: Sequence[Any] | None = None,
    ) -> EstimatorSpec:
        """Checks that everything the mode needs is there.

        Raises:
            ValueError: something the mode needs is missing, or the loss is no scalar.
            TypeError: train_op is no op, a hook is no SessionRunHook, or a metric is no (value,
                update) pair.
        """
        if mode == ModeKeys.PREDICT and predictions is None:
            raise ValueError("Missing predictions: mode PREDICT needs them.")
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            if loss is None:
                raise ValueError(f"Missing loss: mode {mode} needs it.")
            loss = _scalar(loss)
        if train_op is not None:
            train_op = _checked_train_op(train_op)
        elif mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op: mode TRAIN needs it.")
        hooks = [
            tuple(group or ())
            for group in (training_chief_hooks, training_hooks, evaluation_hooks, prediction_hooks)
        ]
        for hook in (hook for group in hooks for hook in group):
            if not isinstance(hook, tf.train.SessionRunHook):
                raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
        if scaffold is not None and not isinstance(scaffold, tf.train.Scaffold):
            raise TypeError(f"scaffold must be a tf.train.Scaffold, given: {scaffold}")
        return super().__new__(
            cls,
            mode,
            predictions if predictions is not None else {},
            loss,
            train_op,
            _checked_metrics(eval_metric_ops or {}),
            export_outputs,
            hooks[0],
            hooks[1],
            scaffold,
            hooks[2],
            hooks[3],
        )


def _scalar(loss: Any) -> Any:
    loss = tf.convert_to_tensor(loss)
    if loss.shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, given: {loss}")
    return loss if loss.shape.rank == 0 else tf.reshape(loss, [])


def _checked_train_op(train_op: Any) -> Any:
    if isinstance(train_op, (tf.Operation, tf.Tensor)):
        return train_op
    operation = getattr(train_op, "op", None)  # of a variable: what tf.assign_add returns
    if not isinstance(operation, tf.Operation):
        raise TypeError(f"train_op must be Operation or Tensor, given: {train_op!r}")
    return operation


def _keras_metric(name: str, metric: Any) -> tuple[Any, Any]:
    """Returns value and update of a Keras metric, whose variables start with the local ones."""
    if not metric.updates:
        raise ValueError(f'Please call update_state(...) on the "{name}" metric')
    for collection in (tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.METRIC_VARIABLES):
        there = {id(variable) for variable in tf.get_collection(collection)}
        for variable in metric.variables:
            if id(variable) not in there:
                tf.add_to_collection(collection, variable)
    return metric.result(), tf.group(*metric.updates)


def _checked_metrics(metrics: Mapping[str, Any]) -> dict[str, Any]:
    checked = {}
    for name, metric in metrics.items():
        if hasattr(metric, "result") and hasattr(metric, "updates"):
            _initialize_locally(metric.variables)
            metric = _keras_metric(name, metric)
        if not isinstance(metric, (tuple, list)) or len(metric) != 2:
            raise TypeError(
                f"Values of eval_metric_ops must be (metric_value, update_op) tuples, "
                f"given: {metric} for key: {name}"
            )
        checked[name] = tuple(metric)
    return checked


def _initialize_locally(variables: Sequence[Any]) -> None:
    """Makes a Keras metric's variables local ones: initialised, and not part of checkpoints."""
    known = {id(variable) for variable in tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES)}
    for variable in variables:
        if id(variable) not in known:
            tf.add_to_collection(tf.GraphKeys.LOCAL_VARIABLES, variable)
