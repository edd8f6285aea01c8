"""Modes, and what a model function of contrib.learn returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.keys import MetricKey, ProblemType
from tfmigrate_runtime.contrib.of_learn.utils.signature_defs import classes_of, scores_of
from tfmigrate_runtime.train.passed_on import with_fields

_DEFAULT = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY


class ModeKeys:
    """The modes of a model function (``tf.contrib.learn.ModeKeys``)."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Checks a mode.

        Raises:
            ValueError: there is no such mode.
        """
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"Invalid mode {key}.")


class _Fields(NamedTuple):
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: dict[Any, Any]
    output_alternatives: Mapping[str | None, tuple[int, Mapping[str, Any]]] | None
    training_chief_hooks: list[Any]
    training_hooks: list[Any]
    scaffold: Any
    mode: str


class ModelFnOps(_Fields):
    """What a model function returns (``tf.contrib.learn.ModelFnOps``).

    Attributes:
        mode: one of ModeKeys.
        predictions: a tensor, or tensors by name; required for EVAL and INFER.
        loss: scalar (or shape [1]) float tensor; required for TRAIN and EVAL.
        train_op: op or tensor that trains one step; required for TRAIN.
        eval_metric_ops: (value tensor, update op), or a value tensor alone, by name.
        output_alternatives: by the name of a head (problem type, tensors by name), for exports.
        training_chief_hooks: hooks of the chief's training session.
        training_hooks: hooks of every training session.
        scaffold: a ``tf.train.Scaffold``, None for the default.
    """

    # Both runtimes have their own tf.estimator: its EstimatorSpec, and the module of its outputs.
    _spec: ClassVar[Any]
    _outputs: ClassVar[Any]

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: dict[Any, Any] | None = None,
        output_alternatives: Mapping[str | None, tuple[int, Mapping[str, Any]]] | None = None,
        training_chief_hooks: Sequence[Any] | None = None,
        training_hooks: Sequence[Any] | None = None,
        scaffold: Any = None,
    ) -> ModelFnOps:
        """Checks that everything the mode needs is there.

        Raises:
            ValueError: something the mode needs is missing, the loss is not a scalar, the metrics
                have no names, or graphs are mixed.
            TypeError: a hook is not a SessionRunHook.
        """
        ModeKeys.validate(mode)
        results = [predictions, loss, train_op]
        graphs = [one.graph for one in results if isinstance(one, (tf.Tensor, tf.Operation))]
        if any(graph is not graphs[0] for graph in graphs):
            raise ValueError(f"{results} must be from the same graph.")
        if train_op is not None:
            train_op = _operation(train_op)
        elif mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        if loss is not None:
            loss = _scalar(loss)
        elif mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        if predictions is None and mode != ModeKeys.TRAIN:
            raise ValueError("Missing predictions.")
        if eval_metric_ops is None:
            eval_metric_ops = {}
        elif not isinstance(eval_metric_ops, dict):
            raise ValueError("eval_metric_ops must be a dict.")
        training_chief_hooks = list(training_chief_hooks or ())
        training_hooks = list(training_hooks or ())
        for hook in training_hooks + training_chief_hooks:
            if not isinstance(hook, tf.train.SessionRunHook):
                raise TypeError(
                    "All hooks returned from model_fn must be SessionRunHook instances, got "
                    f"instance of {type(hook)}: {hook}"
                )
        predictions = _tensors(predictions)
        return with_fields(cls, locals())

    def estimator_spec(self, default_serving_output_alternative_key: str | None = None) -> Any:
        """Returns the EstimatorSpec of the same meaning.

        Args:
            default_serving_output_alternative_key: which of several heads is served by default.

        Raises:
            ValueError: a problem type is unknown.
            KeyError: one of several heads must be the default, and the key is not one of them.
        """
        heads = dict(self.output_alternatives or {})
        if len(heads) > 1 and _DEFAULT not in heads:
            heads[_DEFAULT] = heads[default_serving_output_alternative_key]
        return self._spec(
            mode=self.mode,  # the modes of both have the same values
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            # The loss is averaged anyway.
            eval_metric_ops={k: v for k, v in self.eval_metric_ops.items() if k != MetricKey.LOSS},
            export_outputs={str(k): self._output(*head) for k, head in heads.items()} or None,
            training_chief_hooks=self.training_chief_hooks,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold,
        )

    @classmethod
    def _output(cls, problem_type: int, outputs: Mapping[str, Any]) -> Any:
        if problem_type == ProblemType.LINEAR_REGRESSION:
            return cls._outputs.RegressionOutput(scores_of(outputs))
        if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
            if (classes := classes_of(outputs)) is None:
                tf.logging.warning("classes are not strings: predictions will have no class ids.")
            return cls._outputs.ClassificationOutput(scores=scores_of(outputs), classes=classes)
        if problem_type == ProblemType.UNSPECIFIED:
            return cls._outputs.PredictOutput(outputs)
        raise ValueError(f"Unknown problem_type={problem_type}")


def _operation(train_op: Any) -> Any:
    if isinstance(train_op, tf.Operation):
        return train_op
    operation = getattr(train_op, "op", None)  # of a tensor, or of what tf.assign_add returns
    return operation if isinstance(operation, tf.Operation) else tf.convert_to_tensor(train_op).op


def _scalar(loss: Any) -> Any:
    loss = tf.convert_to_tensor(loss)
    if loss.shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar: {loss}.")
    return loss if loss.shape.rank == 0 else tf.reshape(loss, [])


def _tensors(predictions: Any) -> Any:
    if predictions is None:
        return None
    if isinstance(predictions, dict):
        return {k: tf.convert_to_tensor_or_sparse_tensor(v) for k, v in predictions.items()}
    return tf.convert_to_tensor_or_sparse_tensor(predictions)
