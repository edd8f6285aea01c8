"""Heads of contrib.learn's canned models: loss, predictions and metrics of logits."""

import abc
import inspect
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.canned import head_losses, head_metrics
from tfmigrate_runtime.contrib.of_learn.canned.networks import slim_layers
from tfmigrate_runtime.contrib.of_learn.keys import MetricKey, PredictionKey, ProblemType
from tfmigrate_runtime.contrib.of_learn.model_fn import ModeKeys, ModelFnOps

_CENTERED_BIAS_RATE = 0.1


class Head(abc.ABC):
    """What a model makes of its logits."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """The number of logits of an example."""

    @abc.abstractmethod
    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """Returns the model's operations, from logits or from the input of a last layer."""


class SingleHead(Head):
    """A head with one kind of label."""

    _scope = ""
    _problem_type = ProblemType.UNSPECIFIED

    def __init__(
        self,
        logits_dimension: int,
        loss_fn: head_losses.Loss,
        label_name: str | None,
        weight_column_name: str | None,
        enable_centered_bias: bool,
        head_name: str | None,
        ops: type[ModelFnOps],
    ) -> None:
        """Takes what all heads have.

        Raises:
            ValueError: there are no logits.
        """
        if logits_dimension is None or logits_dimension < 1:
            raise ValueError(f"Invalid logits_dimension {logits_dimension}.")
        self._ops, self._logits_dimension = ops, logits_dimension
        self._loss_fn, self._label_name = loss_fn, label_name
        self._weight_column_name = weight_column_name
        self._enable_centered_bias = enable_centered_bias
        self._head_name = head_name

    @property
    def logits_dimension(self) -> int:
        """The number of logits of an example."""
        return self._logits_dimension

    @property
    def label_name(self) -> str | None:
        """The label's key where labels are a dict."""
        return self._label_name

    @property
    def weight_column_name(self) -> str | None:
        """The feature that holds weights."""
        return self._weight_column_name

    @property
    def head_name(self) -> str | None:
        """What metrics are named by."""
        return self._head_name

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """Returns the model's operations.

        Raises:
            ValueError: logits or weights are missing, labels are sparse or of a wrong shape.
        """
        ModeKeys.validate(mode)
        name = self._head_name or self._scope
        with tf.variable_scope(scope, default_name=name, values=[*features.values()]):
            has_labels = mode != ModeKeys.INFER and labels is not None
            labels = self._labels(labels) if has_labels else None
            logits = self._logits(logits, logits_input)
            bias = self._centered_bias()
            logits = logits if bias is None else tf.nn.bias_add(logits, bias)
            predictions = self._predictions(logits)
            loss = train_op = metrics = None
            if has_labels:
                weights = head_losses.weights_of(features, self._weight_column_name)
                loss, average = self._loss_fn(labels, logits, weights)
                with tf.name_scope(""):
                    tf.summary.scalar(self._key(MetricKey.LOSS), tf.identity(average))
                if mode == ModeKeys.TRAIN:
                    train_op = self._train_op(train_op_fn, loss, labels, logits, bias, weights)
                with tf.name_scope("metrics"):
                    metrics_by_key = {
                        MetricKey.LOSS: tf.metrics.mean(average),
                        **self._metrics(predictions, labels, weights),
                    }
                    metrics = {self._key(key): metric for key, metric in metrics_by_key.items()}
            heads: Any = {self._head_name: (self._problem_type, self._exported(predictions))}
            return self._ops(mode, predictions, loss, train_op, metrics, heads)

    def _labels(self, labels: Any) -> Any:
        labels = labels[self._label_name] if isinstance(labels, dict) else labels
        if isinstance(labels, tf.SparseTensor):
            raise ValueError("SparseTensor is not supported.")
        return tf.convert_to_tensor(labels)

    def _logits(self, logits: Any, logits_input: Any) -> Any:
        if logits is None:
            if logits_input is None:
                raise ValueError("Neither logits nor logits_input supplied.")
            return slim_layers().linear(logits_input, self._logits_dimension, scope="logits")
        if logits_input is not None:
            raise ValueError("Both logits and logits_input supplied.")
        logits = tf.convert_to_tensor(logits, name="logits")
        if logits.shape.dims is not None:
            logits.shape.dims[-1].assert_is_compatible_with(self._logits_dimension)
        return logits

    def _centered_bias(self) -> Any:
        if not self._enable_centered_bias:
            return None
        bias = tf.Variable(tf.zeros([self._logits_dimension]), name="centered_bias_weight")
        for row in range(self._logits_dimension):
            tf.summary.scalar(self._key(f"centered_bias/bias_{row}"), bias[row])
        return bias

    def _train_op(
        self, train_op_fn: Any, loss: Any, labels: Any, logits: Any, bias: Any, weights: Any
    ) -> Any:
        if train_op_fn is None:
            raise ValueError("train_op_fn can not be None in TRAIN mode")
        # An optimizer's own variables (beta1_power of Adam) are named after the scope.
        with tf.name_scope(None, "train_op", [loss]):
            train_op = train_op_fn(loss)
        if bias is None:
            return train_op
        # The bias has its own loss: that of the bias alone as logits, and a mean of the loss to
        # train and the one to report, as contrib.learn had it.
        alone = tf.tile(tf.expand_dims(bias, 0), [tf.shape(logits)[0], 1])
        bias_loss = tf.reduce_mean(tf.stack(self._loss_fn(labels, alone, weights)))
        step = tf.train.AdagradOptimizer(_CENTERED_BIAS_RATE).minimize(bias_loss, var_list=[bias])
        return tf.group(train_op, step)

    def _key(self, name: str) -> str:
        return f"{name}/{self._head_name}" if self._head_name else name

    @abc.abstractmethod
    def _predictions(self, logits: Any) -> dict[str, Any]:
        """Returns predictions by name."""

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        """Returns metrics by name, besides the loss."""
        return {}

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        """Returns what an exported model gives."""
        return predictions


class _RegressionHead(SingleHead):
    _scope = "regression_head"
    _problem_type = ProblemType.LINEAR_REGRESSION

    def __init__(self, link_fn: Callable[[Any], Any] | None, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._link_fn = link_fn

    def _predictions(self, logits: Any) -> dict[str, Any]:
        key = PredictionKey.SCORES
        scores = tf.squeeze(logits, [1], name=key) if self._logits_dimension == 1 else logits
        return {key: self._link_fn(scores) if self._link_fn else scores}


class _ClassHead(SingleHead):
    """A head of classes, which exports names of classes."""

    _label_keys: Any = None

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        probabilities = predictions[PredictionKey.PROBABILITIES]
        if not (names := self._label_keys):
            names = tf.as_string(tf.range(tf.shape(probabilities)[1]))
        classes = tf.tile(tf.expand_dims(names, 0), [tf.shape(probabilities)[0], 1])
        return {PredictionKey.PROBABILITIES: probabilities, PredictionKey.CLASSES: classes}


class _BinaryLogisticHead(_ClassHead):
    _scope = "binary_logistic_head"
    _problem_type = ProblemType.LOGISTIC_REGRESSION

    def __init__(self, thresholds: Any, *arguments: Any) -> None:
        super().__init__(1, *arguments)
        self._thresholds = thresholds or (0.5,)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        two = tf.concat([tf.zeros_like(logits), logits], 1)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.LOGISTIC: tf.sigmoid(logits, name=PredictionKey.LOGISTIC),
            PredictionKey.PROBABILITIES: tf.nn.softmax(two, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: tf.argmax(two, 1, name=PredictionKey.CLASSES),
        }

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        return head_metrics.of_two_classes(predictions, labels, weights, self._thresholds)


class _MultiClassHead(_ClassHead):
    _scope = "multi_class_head"
    _problem_type = ProblemType.CLASSIFICATION

    def __init__(
        self, n_classes: int, loss_fn: Any, metric_class_ids: Any, label_keys: Any, *arguments: Any
    ) -> None:
        def of_ids(labels: Any, logits: Any, weights: Any = None) -> Any:
            return loss_fn(labels["label_ids"], logits, weights)

        super().__init__(n_classes, of_ids, *arguments)
        self._metric_class_ids = tuple(metric_class_ids or [])
        for class_id in self._metric_class_ids:
            if not 0 <= class_id < n_classes:
                raise ValueError(f"Class ID {class_id} not in [0, {n_classes}).")
        if label_keys and len(label_keys) != n_classes:
            raise ValueError("Length of label_keys must equal n_classes.")
        self._label_keys = list(label_keys) if label_keys else None

    def _labels(self, labels: Any) -> Any:
        labels = ids = super()._labels(labels)
        if self._label_keys:
            # A label that is not a key has the id -1, as in a table of lookups.
            same = tf.equal(tf.expand_dims(labels, -1), tf.constant(self._label_keys))
            positions = tf.argmax(tf.cast(same, tf.int32), -1)
            ids = tf.where(tf.reduce_any(same, -1), positions, -tf.ones_like(positions))
        return {"labels": labels, "label_ids": ids}

    def _predictions(self, logits: Any) -> dict[str, Any]:
        classes = tf.argmax(logits, 1, name=PredictionKey.CLASSES)
        if self._label_keys:
            classes = tf.gather(tf.constant(self._label_keys), classes)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: tf.nn.softmax(logits, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: classes,
        }

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        classes = () if self._label_keys else self._metric_class_ids
        return head_metrics.of_classes(predictions, labels, weights, classes)


def regression_head(
    ops: type[ModelFnOps],
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    link_fn: Callable[[Any], Any] | None = None,
) -> Head:
    """Returns a head for numbers, with the mean of squared errors."""
    common = (label_name, weight_column_name, enable_centered_bias, head_name, ops)
    loss = head_losses.mean_squared_loss
    return _RegressionHead(link_fn, label_dimension, loss, *common)


def poisson_regression_head(
    ops: type[ModelFnOps],
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
) -> Head:
    """Returns a head for counts, whose logits are logarithms."""
    common = (label_name, weight_column_name, enable_centered_bias, head_name, ops)
    return _RegressionHead(tf.exp, label_dimension, head_losses.poisson_loss, *common)


def multi_class_head(
    ops: type[ModelFnOps],
    n_classes: int,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Any = None,
    metric_class_ids: Any = None,
    loss_fn: Callable[..., Any] | None = None,
    label_keys: Any = None,
) -> Head:
    """Returns a head for classes; two of them have one logit.

    Raises:
        ValueError: there are less than two classes, or arguments do not go together.
    """
    if n_classes is None or n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    own = _own_loss(loss_fn) if loss_fn else None
    common = (label_name, weight_column_name, enable_centered_bias, head_name, ops)
    if n_classes > 2:
        loss = own or head_losses.softmax_cross_entropy_loss
        return _MultiClassHead(n_classes, loss, metric_class_ids, label_keys, *common)
    if metric_class_ids:
        raise ValueError("metric_class_ids invalid for n_classes==2.")
    if label_keys:
        raise ValueError("label_keys is not supported for n_classes=2.")
    return _BinaryLogisticHead(thresholds, own or head_losses.log_loss_with_two_classes, *common)


def no_op_train_fn(loss: Any) -> Any:
    """Returns a train_op that does nothing."""
    return tf.no_op()


def _own_loss(loss_fn: Callable[..., Any]) -> head_losses.Loss:
    for name in ("labels", "logits", "weights"):
        if name not in inspect.signature(loss_fn).parameters:
            raise ValueError(f"Argument {name} not found in loss_fn.")

    def both(labels: Any, logits: Any, weights: Any = None) -> Any:
        arguments = (labels, logits) if weights is None else (labels, logits, weights)
        loss = loss_fn(*arguments)
        return loss, loss

    return both
