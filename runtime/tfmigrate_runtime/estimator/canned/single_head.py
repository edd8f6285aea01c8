"""Shared parts of heads with one objective: predictions, a loss, metrics, a training op."""

import abc
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned.head import Head
from tfmigrate_runtime.estimator.canned.labels_and_weights import is_shape, weights_of
from tfmigrate_runtime.estimator.canned.measures import Measure, update_mean
from tfmigrate_runtime.estimator.canned.training_op import training_op
from tfmigrate_runtime.estimator.export import PredictOutput
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.estimator.spec import EstimatorSpec

DEFAULT_SIGNATURE = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
# tf.keras.losses.Reduction, which the heads of tf.estimator take too.
_OF_KERAS = {
    "sum": tf.losses.Reduction.SUM,
    "sum_over_batch_size": tf.losses.Reduction.SUM_OVER_BATCH_SIZE,
    "auto": tf.losses.Reduction.SUM_OVER_BATCH_SIZE,
}
SUM_OVER_BATCH_SIZE = "sum_over_batch_size"
_REQUIRED = ("labels", "logits")
# TensorFlow 1.15 allows loss_reduction among the arguments, and never gives it.
_KNOWN = {*_REQUIRED, "features", "loss_reduction"}


class Losses(NamedTuple):
    """A loss and what it was made of.

    Attributes:
        training: scalar float tensor.
        unreduced: float tensor, a loss for every example.
        weights: float tensor that can be multiplied with it, or 1.0.
        labels: the labels as the loss took them.
    """

    training: Any
    unreduced: Any
    weights: Any
    labels: Any


class SingleHead(Head):
    """A head with one objective."""

    def __init__(
        self,
        logits_dimension: int,
        weight_column: Any,
        loss_reduction: str,
        loss_fn: Callable[..., Any] | None,
        name: str | None,
    ) -> None:
        if loss_fn is not None:
            check_arguments(loss_fn)
        reduction = _OF_KERAS.get(loss_reduction, loss_reduction)
        if reduction not in tf.losses.Reduction.all() or reduction == tf.losses.Reduction.NONE:
            raise ValueError(
                f"Invalid loss_reduction: {loss_reduction}. See `tf.losses.Reduction` for valid "
                "options."
            )
        self._logits_dimension, self._name = logits_dimension, name
        self._loss_reduction, self._reduction = loss_reduction, reduction
        self._weight_column, self._loss_fn = weight_column, loss_fn
        self._losses_of_an_example = 1

    @property
    def name(self) -> str | None:
        """See ``Head.name``."""
        return self._name

    @property
    def logits_dimension(self) -> int:
        """See ``Head.logits_dimension``."""
        return self._logits_dimension

    @property
    def loss_reduction(self) -> str:
        """See ``Head.loss_reduction``; as it was given."""
        return self._loss_reduction

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[str, Any]:
        """Returns tensors by name, from logits [..., logits_dimension]; see ``Head.predictions``.

        Raises:
            ValueError: the head has no such key.
        """
        tensors = self._predictions(self._checked(logits))
        for key in keys or ():
            if key not in tensors:
                raise ValueError(
                    f"Prediction key must be in PredictionKeys, given: {key}."
                    f"Valid prediction keys include {list(tensors)}."
                )
        return {key: value for key, value in tensors.items() if not keys or key in keys}

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Mapping[str, Any] | None = None,
        mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> Any:
        """See ``Head.loss``; the mode does not matter."""
        training = self.losses(features or {}, self._checked(logits), labels).training
        return _regularized(training, regularization_losses)

    def metrics(self, regularization_losses: Sequence[Any] | None = None) -> dict[str, Any]:
        """Returns new Keras metrics by name; see ``Head.metrics``."""
        metrics_by_key = {
            key: measure.keras_metric(key) for key, measure in self._measures().items()
        }
        means = ["average_loss", *(["regularization_loss"] if regularization_losses else [])]
        metrics_by_key.update({key: tf.keras.metrics.Mean(name=key) for key in means})
        return {self._key(key): metric for key, metric in metrics_by_key.items()}

    def update_metrics(
        self,
        eval_metrics: dict[str, Any],
        features: Mapping[str, Any],
        logits: Any,
        labels: Any,
        regularization_losses: Sequence[Any] | None = None,
    ) -> dict[str, Any]:
        """Adds a batch to the metrics, and returns them; see ``Head.update_metrics``."""
        logits = self._checked(logits)
        predictions, losses = self._predictions(logits), self.losses(features, logits, labels)
        weights = _some(losses.weights)
        for key, measure in self._measures().items():
            measure.update(eval_metrics[self._key(key)], predictions, losses.labels, weights)
        update_mean(eval_metrics[self._key("average_loss")], losses.unreduced, weights)
        if regularization_losses:
            metric = eval_metrics[self._key("regularization_loss")]
            update_mean(metric, tf.add_n(regularization_losses))
        return eval_metrics

    @abc.abstractmethod
    def _predictions(self, logits: Any) -> dict[str, Any]:
        """Returns tensors by name, from logits [..., logits_dimension]."""

    @abc.abstractmethod
    def _processed_labels(self, labels: Any, logits: Any) -> Any:
        """Returns labels as the loss takes them."""

    @abc.abstractmethod
    def _unreduced_loss(self, labels: Any, logits: Any) -> Any:
        """Returns a float tensor [..., 1] or [..., logits_dimension]."""

    @abc.abstractmethod
    def _measures(self) -> dict[str, Measure]:
        """Returns what is measured, by the names of metrics, but the mean loss."""

    @abc.abstractmethod
    def _export_outputs(self, predictions: Mapping[str, Any]) -> dict[str, Any]:
        """Returns outputs by the names of signatures, but that of "predict"."""

    def losses(self, features: Mapping[str, Any], logits: Any, labels: Any) -> Losses:
        """Returns the loss of a batch.

        Args:
            features: tensors by name, with the weights if there are any.
            logits: float tensor [..., logits_dimension].
            labels: as the kind of head takes them.
        """
        processed = self._processed_labels(labels, logits)
        if self._loss_fn is None:
            unreduced = self._unreduced_loss(processed, logits)
        else:
            unreduced = unreduced_loss(
                self._loss_fn, processed, logits, features, self._losses_of_an_example
            )
        weights = weights_of(features, self._weight_column, logits, self._losses_of_an_example)
        training = tf.losses.compute_weighted_loss(
            unreduced, weights=weights, reduction=self._reduction
        )
        return Losses(training, unreduced, weights, processed)

    def create_estimator_spec(
        self,
        features: Mapping[str, Any],
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Sequence[Any] | None = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        update_ops: Sequence[Any] | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> EstimatorSpec:
        """See ``Head.create_estimator_spec``."""
        logits = self._checked(logits)
        with tf.name_scope(self.name or "head"):
            predictions = self._predictions(logits)
            if mode == ModeKeys.PREDICT:
                outputs = self._export_outputs(predictions)
                outputs["predict"] = PredictOutput(predictions)
                return EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
            losses = self.losses(features, logits, labels)
            regularization = tf.add_n(regularization_losses) if regularization_losses else None
            loss = _regularized(losses.training, regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self._all_metrics(predictions, losses, regularization)
                return EstimatorSpec(
                    mode, predictions=predictions, loss=loss, eval_metric_ops=metrics
                )
            train_op = self._train_op(loss, optimizer, trainable_variables, train_op_fn, update_ops)
        self._summarize(loss, losses, regularization)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _train_op(
        self,
        loss: Any,
        optimizer: Any,
        trainable_variables: Sequence[Any] | None,
        train_op_fn: Callable[[Any], Any] | None,
        update_ops: Sequence[Any] | None,
    ) -> Any:
        return training_op(loss, optimizer, trainable_variables, train_op_fn, update_ops)

    def _checked(self, logits: Any) -> Any:
        logits = tf.cast(logits, tf.float32)
        message = "logits shape must be [D0, D1, ... DN, logits_dimension]"
        size = logits.shape[-1] if logits.shape.rank else None
        if size not in (None, self.logits_dimension):
            raise ValueError(f"{message}, got {logits.shape}.")
        if size is not None:
            return logits
        shape = tf.shape(logits)
        check = tf.assert_equal(shape[-1], self.logits_dimension, data=[shape], message=message)
        with tf.control_dependencies([check]):
            return tf.identity(logits)

    def _key(self, key: str) -> str:
        return f"{key}/{self.name}" if self.name else key

    def _all_metrics(
        self, predictions: Mapping[str, Any], losses: Losses, regularization: Any
    ) -> dict[str, Any]:
        weights = _some(losses.weights)
        metrics = {
            key: measure.operations(*measure.values(predictions, losses.labels), weights)
            for key, measure in self._measures().items()
        }
        metrics["average_loss"] = tf.metrics.mean(losses.unreduced, weights=losses.weights)
        if regularization is not None:
            metrics["regularization_loss"] = tf.metrics.mean(regularization)
        return {self._key(key): metric for key, metric in metrics.items()}

    def _summarize(self, loss: Any, losses: Losses, regularization: Any) -> None:
        # At the root, where TensorFlow 1.x had its names.
        with tf.name_scope(""):
            tf.summary.scalar(self._key("loss"), loss)
            if self._reduction == tf.losses.Reduction.SUM:
                examples = tf.reduce_sum(losses.weights * tf.ones_like(losses.unreduced))
                tf.summary.scalar(self._key("average_loss"), losses.training / examples)
            if regularization is not None:
                tf.summary.scalar(self._key("regularization_loss"), regularization)


def _some(weights: Any) -> Any:
    return None if isinstance(weights, float) else weights


def _regularized(loss: Any, regularization_losses: Sequence[Any] | None) -> Any:
    return tf.add_n([loss, *regularization_losses]) if regularization_losses else loss


def check_arguments(loss_fn: Callable[..., Any]) -> None:
    """Checks what a loss function takes.

    Raises:
        ValueError: it does not take labels and logits, or takes something that no head has.
    """
    names = _arguments(loss_fn)
    for required in _REQUIRED:
        if required not in names:
            raise ValueError(f"loss_fn must contain argument: {required}. Given arguments: {names}")
    unknown = [name for name in names if name not in _KNOWN]
    if unknown:
        raise ValueError(f"loss_fn has unexpected args: {unknown}")


def unreduced_loss(
    loss_fn: Callable[..., Any],
    labels: Any,
    logits: Any,
    features: Mapping[str, Any],
    dimension: int,
) -> Any:
    """Returns what a loss function returns, with a check of its shape when the graph is run.

    Args:
        loss_fn: takes labels and logits, and features if it has such an argument.
        labels: as the head's own loss takes them.
        logits: float tensor [..., logits_dimension].
        features: tensors by name.
        dimension: the size of the last axis of the loss.

    Returns:
        Float tensor [..., dimension].
    """
    others = {"features": features} if "features" in _arguments(loss_fn) else {}
    loss = tf.convert_to_tensor(loss_fn(labels=labels, logits=logits, **others))
    logits_shape, actual = tf.shape(logits), tf.shape(loss)
    expected = tf.concat([logits_shape[:-1], [dimension]], axis=0)
    message = f"loss_fn must return Tensor of shape [D0, D1, ... DN, {dimension}]. "
    same = tf.Assert(
        is_shape(actual, expected),
        [message, "logits_shape: ", logits_shape, "loss_shape: ", actual],
    )
    with tf.control_dependencies([same]):
        return tf.identity(loss)


def _arguments(function: Callable[..., Any]) -> tuple[str, ...]:
    bound_names = set(function.keywords) if isinstance(function, functools.partial) else set()
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return tuple(
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind in by_name and name not in bound_names
    )
