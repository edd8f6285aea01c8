"""What contrib.learn's model functions receive and return."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import export_output
from tfmigrate_runtime.compat.shim_estimator import model_fn as estimator_model_fn
from tfmigrate_runtime.contrib.of_learn.keys import MetricKey, PredictionKey, ProblemType


class ModeKeys:
    """Modes of a model function; prediction is "infer" here."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError for anything that is not a mode."""
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"Invalid mode {key}.")


class _Fields(NamedTuple):
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Any
    output_alternatives: Any
    training_chief_hooks: Any
    training_hooks: Any
    scaffold: Any
    mode: Any


class ModelFnOps(_Fields):
    """What a model function returns.

    ``train_op`` is the operation even where a tensor was given, ``loss`` a tensor of shape [].
    """

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: dict[str, Any] | None = None,
        output_alternatives: dict[str, Any] | None = None,
        training_chief_hooks: list[Any] | None = None,
        training_hooks: list[Any] | None = None,
        scaffold: Any = None,
    ) -> ModelFnOps:
        """Checks what the mode needs.

        Raises:
            ValueError: something is missing, the loss has several elements, eval_metric_ops is no
                dict, or graphs are mixed.
            TypeError: a hook is none.
        """
        ModeKeys.validate(mode)
        _require_one_graph([predictions, loss, train_op])
        hooks = [list(hook_group or []) for hook_group in (training_chief_hooks, training_hooks)]
        for hook in hooks[1] + hooks[0]:
            if not isinstance(hook, tf.train.SessionRunHook):
                raise TypeError(
                    "All hooks returned from model_fn must be SessionRunHook instances, got "
                    f"instance of {type(hook)}: {hook}"
                )
        train_op = _train_operation(train_op, mode)
        loss = _scalar_loss(loss, mode)
        predictions = _prediction_tensors(predictions, mode)
        if eval_metric_ops is not None and not isinstance(eval_metric_ops, dict):
            raise ValueError("eval_metric_ops must be a dict.")
        metrics = {} if eval_metric_ops is None else eval_metric_ops
        heads = output_alternatives
        # mypy takes the arguments for those of tuple.__new__.
        return super().__new__(  # type: ignore[call-arg]
            cls, predictions, loss, train_op, metrics, heads, *hooks, scaffold, mode
        )

    def estimator_spec(self, default_serving_output_alternative_key: str | None = None) -> Any:
        """Returns the tf.estimator.EstimatorSpec for this.

        Args:
            default_serving_output_alternative_key: the head that is served where none is named,
                with several heads.
        """
        modes = estimator_model_fn.ModeKeys
        heads = self.output_alternatives
        exports = None
        if heads:
            default = "serving_default"
            if len(heads) > 1 and default not in heads:
                heads = {**heads, default: heads[default_serving_output_alternative_key]}
            exports = {name: _export_output(*head) for name, head in heads.items()}
        metrics = {
            name: metric for name, metric in self.eval_metric_ops.items() if name != MetricKey.LOSS
        }
        return estimator_model_fn.EstimatorSpec(
            mode=modes.PREDICT if self.mode == ModeKeys.INFER else self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=exports,
            training_chief_hooks=self.training_chief_hooks,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold,
        )


def _require_one_graph(elements: list[Any]) -> None:
    graphs = [
        element.graph for element in elements if isinstance(element, (tf.Tensor, tf.Operation))
    ]
    if any(graph is not graphs[0] for graph in graphs):
        raise ValueError(f"{elements} must be from the same graph.")


def _train_operation(train_op: Any, mode: str) -> Any:
    if train_op is None:
        if mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        return None
    is_operation = isinstance(train_op, tf.Operation)
    return train_op if is_operation else tf.convert_to_tensor(train_op).op


def _scalar_loss(loss: Any, mode: str) -> Any:
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        return None
    loss = tf.convert_to_tensor(loss)
    if loss.shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar: {loss}.")
    return loss if loss.shape.is_compatible_with([]) else tf.reshape(loss, [])


def _prediction_tensors(predictions: Any, mode: str) -> Any:
    if predictions is None:
        if mode in (ModeKeys.INFER, ModeKeys.EVAL):
            raise ValueError("Missing predictions.")
        return None
    if isinstance(predictions, dict):
        return {
            name: tf.convert_to_tensor_or_sparse_tensor(value)
            for name, value in predictions.items()
        }
    return tf.convert_to_tensor_or_sparse_tensor(predictions)


def _export_output(problem_type: int, outputs: dict[str, Any]) -> Any:
    if problem_type == ProblemType.UNSPECIFIED:
        return export_output.PredictOutput(outputs)
    scores = outputs.get(PredictionKey.SCORES)
    if scores is None:
        scores = outputs.get(PredictionKey.PROBABILITIES)
    if problem_type == ProblemType.LINEAR_REGRESSION:
        return export_output.RegressionOutput(scores)
    if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
        classes = outputs.get(PredictionKey.CLASSES)
        if classes is None or classes.dtype != tf.string:
            tf.logging.warning("classes is not string, Servo inference will not have class ids.")
            classes = None
        return export_output.ClassificationOutput(scores=scores, classes=classes)
    raise ValueError(f"Unknown problem_type={problem_type}")
