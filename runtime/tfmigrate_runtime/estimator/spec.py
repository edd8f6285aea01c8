"""What a model function returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import checks
from tfmigrate_runtime.estimator.export import ExportOutput, PredictOutput
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.train.passed_on import with_fields

_DEFAULT_OUTPUT = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY


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
        export_outputs: outputs of a SavedModel by the name of their signature. For PREDICT there is
            always one named "serving_default".
        training_chief_hooks: hooks of the chief's training session.
        training_hooks: hooks of every training session.
        scaffold: a ``tf.train.Scaffold``.
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
        """Checks everything as TensorFlow 1.15 did (tensorflow_estimator 1.15, model_fn.py).

        Raises:
            ValueError: something the mode needs is missing, the loss is not a scalar, a tensor is
                of another graph than the default one, or none of several outputs is the default.
            TypeError: predictions or the loss are not tensors, train_op is not an op, a hook is not
                a SessionRunHook, a metric is not a (value, update) pair, or export_outputs are not
                ExportOutputs.
        """
        if train_op is not None:
            train_op = _checked_train_op(train_op)
        elif mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op: mode TRAIN needs it.")
        if loss is not None:
            loss = _scalar(loss)
        elif mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError(f"Missing loss: mode {mode} needs it.")
        if predictions is not None:
            predictions = _checked_predictions(predictions)
        elif mode == ModeKeys.PREDICT:
            raise ValueError("Missing predictions: mode PREDICT needs them.")
        else:
            predictions = {}
        if mode == ModeKeys.PREDICT:
            export_outputs = _with_default_output(export_outputs, predictions)
        training_chief_hooks = checked_hooks(training_chief_hooks)
        training_hooks = checked_hooks(training_hooks)
        evaluation_hooks = checked_hooks(evaluation_hooks)
        prediction_hooks = checked_hooks(prediction_hooks)
        scaffold = scaffold or tf.train.Scaffold()
        if not isinstance(scaffold, tf.train.Scaffold):
            raise TypeError(f"scaffold must be tf.train.Scaffold, given: {scaffold}")
        eval_metric_ops = _checked_metrics(eval_metric_ops)
        return with_fields(cls, locals())

    def _replace(self, **changes: Any) -> EstimatorSpec:
        """Returns a spec with other fields, which are checked as those of a new one.

        Raises:
            ValueError: the mode is another.
        """
        if changes.get("mode", self.mode) != self.mode:
            raise ValueError("mode of EstimatorSpec cannot be changed.")
        return EstimatorSpec(**{**self._asdict(), **changes})


def checked_hooks(hooks: Sequence[Any] | None) -> tuple[Any, ...]:
    """Returns the hooks of a spec.

    Raises:
        TypeError: one is not a SessionRunHook.
    """
    must = "All hooks must be SessionRunHook instances"
    return tuple(checks.checked_hooks(hooks, must=must))


def _checked_tensor(name: str, value: Any) -> Any:
    """Returns a dense tensor or variable of the default graph.

    Raises:
        TypeError: it is none: a Python number, an array, a SparseTensor.
        ValueError: it is of another graph.
    """
    if not tf.is_tensor(value) or isinstance(value, tf2.__internal__.CompositeTensor):
        raise TypeError(f"{name} must be Tensor, given: {value}")
    return _of_default_graph(name, value)


def _of_default_graph(name: str, value: Any) -> Any:
    if not tf.executing_eagerly() and value.graph is not tf.get_default_graph():
        raise ValueError(
            f'{name} with "{value.name}" must be from the default graph: it was made in another '
            "one, or by an earlier call of model_fn"
        )
    return value


def _checked_predictions(predictions: Any) -> Any:
    if isinstance(predictions, dict):
        return {
            name: _checked_tensor(f"predictions[{name}]", value)
            for name, value in predictions.items()
        }
    return _checked_tensor("predictions", predictions)


def _with_default_output(outputs: Any, predictions: Any) -> dict[str, Any]:
    """Returns what is exported: the predictions where nothing is given.

    Raises:
        TypeError: outputs is not a dict of ExportOutputs.
        ValueError: none of several outputs is the default.
    """
    outputs = {_DEFAULT_OUTPUT: PredictOutput(predictions)} if outputs is None else outputs
    if not isinstance(outputs, dict):
        raise TypeError(f"export_outputs must be dict, given: {outputs}")
    for output in outputs.values():
        if not isinstance(output, ExportOutput):
            raise TypeError(f"Values in export_outputs must be ExportOutput objects: {output}")
    if len(outputs) == 1:
        return {_DEFAULT_OUTPUT: next(iter(outputs.values())), **outputs}
    if outputs and _DEFAULT_OUTPUT not in outputs:
        raise ValueError(
            f"Multiple export_outputs were provided, {sorted(outputs)}: one of them must be "
            f"{_DEFAULT_OUTPUT!r}"
        )
    return outputs


def _scalar(loss: Any) -> Any:
    loss = _checked_tensor("loss", loss)
    if loss.shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, given: {loss}")
    return loss if loss.shape.rank == 0 else tf.reshape(loss, [])


def _checked_train_op(train_op: Any) -> Any:
    if isinstance(train_op, (tf.Operation, tf.Tensor)):
        return _of_default_graph("train_op", train_op)
    operation = getattr(train_op, "op", None)  # of a variable: what tf.assign_add returns
    if not isinstance(operation, tf.Operation):
        raise TypeError(f"train_op must be Operation or Tensor, given: {train_op!r}")
    return _of_default_graph("train_op", operation)


def _keras_metric(name: str, metric: Any) -> tuple[Any, Any]:
    """Returns value and update of a Keras metric, whose variables become local ones.

    As such they are initialized, and are not part of checkpoints.
    """
    if not metric.updates:
        raise ValueError(f'Please call update_state(...) on the "{name}" metric')
    for collection in (tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.METRIC_VARIABLES):
        there = {id(variable) for variable in tf.get_collection(collection)}
        for variable in metric.variables:
            if id(variable) not in there:
                tf.add_to_collection(collection, variable)
    return metric.result(), tf.group(*metric.updates)


def _checked_metrics(metrics: Any) -> dict[str, Any]:
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise TypeError(f"eval_metric_ops must be a dict, given: {metrics}")
    checked = {}
    for name, metric in metrics.items():
        if hasattr(metric, "result") and hasattr(metric, "updates"):
            metric = _keras_metric(name, metric)
        if not isinstance(metric, (tuple, list)) or len(metric) != 2:
            raise TypeError(
                f"Values of eval_metric_ops must be (metric_value, update_op) tuples, "
                f"given: {metric} for key: {name}"
            )
        for value in tf.nest.flatten(metric):
            _of_default_graph(f"eval_metric_ops[{name}]", value)
        checked[name] = tuple(metric)
    return checked
