"""What model functions of ``learn.Estimator`` are told, and what they return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator as core
from tfmigrate_runtime.learn.prediction_key import PredictionKey
from tfmigrate_runtime.learn.problem_type import ProblemType

_DEFAULT = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
LOSS = "loss"


class ModeKeys:
    """The modes of a model function (``tf.contrib.learn.ModeKeys``)."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Checks a mode.

        Raises:
            ValueError: it is none.
        """
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"Invalid mode {key}.")


class _Fields(NamedTuple):
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: dict[str, Any]
    output_alternatives: Mapping[str, Any] | None
    training_chief_hooks: list[Any]
    training_hooks: list[Any]
    scaffold: Any
    mode: str


class ModelFnOps(_Fields):
    """What a model function returns (``tf.contrib.learn.ModelFnOps``).

    Attributes:
        predictions: a tensor, or tensors by name.
        loss: scalar tensor.
        train_op: the operation of a step.
        eval_metric_ops: metrics by name: a value, or a pair of value and update op.
        output_alternatives: by head, a ProblemType and tensors by name.
        training_chief_hooks: hooks of the chief's training.
        training_hooks: hooks of every task's training.
        scaffold: a Scaffold.
        mode: one of ModeKeys.
    """

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Mapping[str, Any] | None = None,
        output_alternatives: Mapping[str, Any] | None = None,
        training_chief_hooks: Sequence[Any] | None = None,
        training_hooks: Sequence[Any] | None = None,
        scaffold: Any = None,
    ) -> ModelFnOps:
        """Checks the values.

        Raises:
            ValueError: something that the mode needs is missing, or the loss is no scalar.
            TypeError: a hook is no SessionRunHook.
        """
        ModeKeys.validate(mode)
        if train_op is None and mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        if loss is None and mode != ModeKeys.INFER:
            raise ValueError("Missing loss.")
        if predictions is None and mode != ModeKeys.TRAIN:
            raise ValueError("Missing predictions.")
        if eval_metric_ops is not None and not isinstance(eval_metric_ops, dict):
            raise ValueError("eval_metric_ops must be a dict.")
        hooks, chief_hooks = list(training_hooks or ()), list(training_chief_hooks or ())
        for hook in (*hooks, *chief_hooks):
            if not isinstance(hook, tf.train.SessionRunHook):
                raise TypeError(
                    "All hooks returned from model_fn must be SessionRunHook instances, got "
                    f"instance of {type(hook)}: {hook}"
                )
        if train_op is not None and not isinstance(train_op, tf.Operation):
            train_op = tf.convert_to_tensor(train_op).op
        return super().__new__(
            cls,
            _as_tensors(predictions),
            None if loss is None else _scalar(loss),
            train_op,
            dict(eval_metric_ops or {}),
            output_alternatives,
            chief_hooks,
            hooks,
            scaffold,
            mode,
        )

    def estimator_spec(
        self, default_serving_output_alternative_key: str | None = None
    ) -> core.EstimatorSpec:
        """Returns the EstimatorSpec that says the same.

        Args:
            default_serving_output_alternative_key: which of several heads is served by default.

        Raises:
            ValueError: a head's problem type is unknown.
        """
        outputs = None
        if self.output_alternatives:
            alternatives = dict(self.output_alternatives)
            if len(alternatives) > 1 and _DEFAULT not in alternatives:
                default = alternatives[default_serving_output_alternative_key or ""]
                alternatives[_DEFAULT] = default
            outputs = {name: _export_output(*value) for name, value in alternatives.items()}
        return core.EstimatorSpec(
            self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops={
                name: value for name, value in self.eval_metric_ops.items() if name != LOSS
            },
            export_outputs=outputs,
            training_chief_hooks=self.training_chief_hooks,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold,
        )


def _as_tensors(predictions: Any) -> Any:
    if predictions is None:
        return None
    convert = tf.convert_to_tensor_or_sparse_tensor
    if isinstance(predictions, dict):
        return {name: convert(value) for name, value in predictions.items()}
    return convert(predictions)


def _scalar(loss: Any) -> Any:
    tensor = tf.convert_to_tensor(loss)
    if tensor.shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar: {tensor}.")
    return tensor if tensor.shape.rank == 0 else tf.reshape(tensor, [])


def scores_of(tensors: Mapping[str, Any]) -> Any:
    """Returns the scores, or else the probabilities, among predictions; None without either."""
    scores = tensors.get(PredictionKey.SCORES)
    return tensors.get(PredictionKey.PROBABILITIES) if scores is None else scores


def classes_of(tensors: Mapping[str, Any]) -> Any:
    """Returns the classes among predictions, None where they are no strings."""
    classes = tensors.get(PredictionKey.CLASSES)
    return classes if classes is not None and classes.dtype == tf.string else None


def _export_output(problem_type: int, tensors: Mapping[str, Any]) -> core.export.ExportOutput:
    if problem_type == ProblemType.LINEAR_REGRESSION:
        return core.export.RegressionOutput(scores_of(tensors))
    if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
        return core.export.ClassificationOutput(scores_of(tensors), classes_of(tensors))
    if problem_type == ProblemType.UNSPECIFIED:
        return core.export.PredictOutput(tensors)
    raise ValueError(f"Unknown problem_type={problem_type}")
