"""Heads of contrib.learn's models: loss, predictions and metrics from logits.

As tensorflow/contrib/learn/python/learn/estimators/head.py made them: the loss that is trained is
the mean of weighted losses, and the one that is reported their weighted mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.losses import broadcast_weights
from tfmigrate_runtime.contrib.of_learn.keys import MetricKey, PredictionKey, ProblemType
from tfmigrate_runtime.learn.model_fn import ModeKeys, ModelFnOps

_THRESHOLD = 0.5


class Head:
    """The end of a model, without its name.

    Attributes:
        logits_dimension: how many logits an example has.
    """

    scope_name: str
    problem_type: int

    def __init__(
        self, logits_dimension: int, weight_column_name: str | None, enable_centered_bias: bool
    ) -> None:
        self.logits_dimension = logits_dimension
        self._weight_column_name = weight_column_name
        self._enable_centered_bias = enable_centered_bias

    def create_model_fn_ops(
        self,
        features: Mapping[str, Any],
        mode: str,
        labels: Any,
        train_op_fn: Callable[[Any], Any],
        logits: Any,
    ) -> ModelFnOps:
        """Returns what a model function returns.

        Args:
            features: by name; the column of weights is among them.
            mode: of ModeKeys.
            labels: None for predictions.
            train_op_fn: runs a step of training of the loss.
            logits: float [batch_size, logits_dimension].

        Raises:
            ValueError: the labels are sparse or of a wrong type, or there are no weights.
        """
        with tf.variable_scope(None, self.scope_name):
            bias = None
            if self._enable_centered_bias:
                bias = _centered_bias(self.logits_dimension)
                logits = tf.nn.bias_add(logits, bias)
            predictions = self._predictions(logits)
            loss, train_op, metrics = None, None, None
            if mode != ModeKeys.INFER and labels is not None:
                labels = _dense(labels)
                weights = _weights(features, self._weight_column_name)
                loss, average = self._loss(labels, logits, weights)
                with tf.name_scope(""):
                    tf.summary.scalar(MetricKey.LOSS, average)
                if mode == ModeKeys.TRAIN:
                    train_op = self._train_op(loss, labels, train_op_fn, bias, logits, weights)
                metrics = {
                    MetricKey.LOSS: tf.metrics.mean(average),
                    **self._metrics(predictions, labels, weights),
                }
            return ModelFnOps(
                mode,
                predictions,
                loss,
                train_op,
                metrics,
                {None: (self.problem_type, self._exported(predictions))},
            )

    def _predictions(self, logits: Any) -> dict[str, Any]:
        raise NotImplementedError

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        return predictions

    def _unweighted_loss(self, labels: Any, logits: Any) -> Any:
        raise NotImplementedError

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        return {}

    def _loss(self, labels: Any, logits: Any, weights: Any) -> tuple[Any, Any]:
        """Returns the loss to train and the loss to report."""
        losses = self._unweighted_loss(labels, logits)
        if weights is None:
            loss = tf.reduce_mean(losses, name="loss")
            return loss, loss
        weights = broadcast_weights(weights, losses)
        weighted = losses * weights
        average = tf.reduce_sum(weighted) / tf.cast(tf.reduce_sum(weights), tf.float32)
        return tf.reduce_mean(weighted, name="loss"), average

    def _train_op(
        self,
        loss: Any,
        labels: Any,
        train_op_fn: Callable[[Any], Any],
        bias: Any,
        logits: Any,
        weights: Any,
    ) -> Any:
        """Returns the step of training, with that of the centered bias by itself."""
        # An optimizer's own variables (beta1_power of Adam) are named after the scope.
        with tf.name_scope(None, "train_op", [loss, labels]):
            train_op = train_op_fn(loss)
        if bias is None:
            return train_op
        alone = tf.reshape(
            tf.tile(bias, [tf.shape(logits)[0]]), [tf.shape(logits)[0], self.logits_dimension]
        )
        # Of both losses: a mean of the two, as contrib.learn had it.
        bias_loss = tf.reduce_mean(tf.stack(self._loss(labels, alone, weights)))
        step = tf.train.AdagradOptimizer(0.1).minimize(bias_loss, var_list=[bias])
        return tf.group(train_op, step)


class RegressionHead(Head):
    """Numbers, by their mean squared error."""

    scope_name = "regression_head"
    problem_type = ProblemType.LINEAR_REGRESSION

    def _predictions(self, logits: Any) -> dict[str, Any]:
        key = PredictionKey.SCORES
        return {key: tf.squeeze(logits, [1], name=key) if self.logits_dimension == 1 else logits}

    def _unweighted_loss(self, labels: Any, logits: Any) -> Any:
        labels = _column(tf.cast(labels, tf.float32))
        logits.shape.assert_is_compatible_with(labels.shape)
        return tf.squared_difference(logits, labels)


class BinaryHead(Head):
    """Two classes, by one logit."""

    scope_name = "binary_logistic_head"
    problem_type = ProblemType.LOGISTIC_REGRESSION

    def _predictions(self, logits: Any) -> dict[str, Any]:
        both = tf.concat([tf.zeros_like(logits), logits], 1)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.LOGISTIC: tf.sigmoid(logits, name=PredictionKey.LOGISTIC),
            PredictionKey.PROBABILITIES: tf.nn.softmax(both, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: tf.argmax(both, 1, name=PredictionKey.CLASSES),
        }

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        return _exported_classes(predictions, None)

    def _unweighted_loss(self, labels: Any, logits: Any) -> Any:
        labels = _column(tf.cast(labels, tf.float32))
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        logistic = predictions[PredictionKey.LOGISTIC]
        numbers = tf.cast(labels, tf.float32)
        label_weights = None
        if weights is not None:
            label_weights = broadcast_weights(weights, numbers)
        as_bool = tf.cast(labels, tf.bool)
        above = tf.cast(logistic >= _THRESHOLD, tf.float32)
        precision = tf.metrics.precision_at_thresholds(labels, logistic, (_THRESHOLD,), weights)
        recall = tf.metrics.recall_at_thresholds(labels, logistic, (_THRESHOLD,), weights)
        return {
            MetricKey.ACCURACY: tf.metrics.accuracy(
                labels, predictions[PredictionKey.CLASSES], weights
            ),
            MetricKey.PREDICTION_MEAN: tf.metrics.mean(logistic, weights),
            MetricKey.LABEL_MEAN: tf.metrics.mean(numbers, label_weights),
            MetricKey.ACCURACY_BASELINE: tf.metrics.mean(numbers, label_weights),
            MetricKey.AUC: tf.metrics.auc(as_bool, logistic, weights),
            MetricKey.AUC_PR: tf.metrics.auc(as_bool, logistic, weights, curve="PR"),
            MetricKey.ACCURACY_MEAN % _THRESHOLD: tf.metrics.accuracy(labels, above, weights),
            MetricKey.PRECISION_MEAN % _THRESHOLD: tuple(map(tf.squeeze, precision)),
            MetricKey.RECALL_MEAN % _THRESHOLD: tuple(map(tf.squeeze, recall)),
        }


class MultiClassHead(Head):
    """More than two classes, by a logit each."""

    scope_name = "multi_class_head"
    problem_type = ProblemType.CLASSIFICATION

    def __init__(
        self,
        n_classes: int,
        weight_column_name: str | None,
        enable_centered_bias: bool,
        label_keys: Sequence[str] | None,
    ) -> None:
        super().__init__(n_classes, weight_column_name, enable_centered_bias)
        self._label_keys = list(label_keys) if label_keys else None

    def _predictions(self, logits: Any) -> dict[str, Any]:
        classes = tf.argmax(logits, 1, name=PredictionKey.CLASSES)
        if self._label_keys:
            classes = tf.gather(tf.constant(self._label_keys), classes)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: tf.nn.softmax(logits, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: classes,
        }

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        return _exported_classes(predictions, self._label_keys)

    def _unweighted_loss(self, labels: Any, logits: Any) -> Any:
        ids = labels
        if self._label_keys:
            # A label that is not a key has the id -1, as in a table of lookups.
            same = tf.equal(tf.expand_dims(labels, -1), tf.constant(self._label_keys))
            positions = tf.argmax(tf.cast(same, tf.int32), -1)
            ids = tf.where(tf.reduce_any(same, -1), positions, -tf.ones_like(positions))
        if not ids.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer Instead got {ids.dtype}.")
        if len(ids.shape) != 2:
            return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=ids, logits=logits)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.squeeze(ids, [1]), logits=logits
        )
        return tf.expand_dims(losses, 1)

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        classes = predictions[PredictionKey.CLASSES]
        return {MetricKey.ACCURACY: tf.metrics.accuracy(labels, classes, weights)}


def classification_head(
    n_classes: int,
    weight_column_name: str | None,
    enable_centered_bias: bool,
    label_keys: Sequence[str] | None,
) -> Head:
    """Returns the head of a classifier.

    Raises:
        ValueError: there are less than two classes, or not as many keys, or keys of two classes.
    """
    if n_classes is None or n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    if n_classes == 2:
        if label_keys:
            raise ValueError("label_keys is not supported for n_classes=2.")
        return BinaryHead(1, weight_column_name, enable_centered_bias)
    if label_keys and len(label_keys) != n_classes:
        raise ValueError("Length of label_keys must equal n_classes.")
    return MultiClassHead(n_classes, weight_column_name, enable_centered_bias, label_keys)


def _centered_bias(dimension: int) -> Any:
    bias = tf.Variable(tf.zeros([dimension]), name="centered_bias_weight", trainable=True)
    for index in range(dimension):
        tf.summary.scalar(f"centered_bias/bias_{index}", bias[index])
    return bias


def _dense(labels: Any) -> Any:
    """Returns labels; those of a dictionary without a name are the ones under None.

    Raises:
        ValueError: they are sparse.
    """
    labels = labels[None] if isinstance(labels, dict) else labels
    if isinstance(labels, tf.SparseTensor):
        raise ValueError("SparseTensor is not supported.")
    return tf.convert_to_tensor(labels)


def _column(tensor: Any) -> Any:
    return tf.expand_dims(tensor, 1) if len(tensor.shape) == 1 else tensor


def _weights(features: Mapping[str, Any], name: str | None) -> Any:
    """Returns the weights of examples, float [batch_size, 1]; None where they have none.

    Raises:
        ValueError: there is no such feature.
    """
    if not name:
        return None
    if name not in features:
        raise ValueError(f"Weights {name} missing from features.")
    return _column(tf.cast(features[name], tf.float32))


def _exported_classes(
    predictions: dict[str, Any], label_keys: Sequence[str] | None
) -> dict[str, Any]:
    """Returns what is exported of a classifier: probabilities, and the names of all classes."""
    probabilities = predictions[PredictionKey.PROBABILITIES]
    names = tf.constant(label_keys) if label_keys else tf.as_string(_range_of(probabilities))
    rows = tf.shape(probabilities)[0]
    return {
        PredictionKey.PROBABILITIES: probabilities,
        PredictionKey.CLASSES: tf.tile(tf.expand_dims(names, 0), [rows, 1]),
    }


def _range_of(probabilities: Any) -> Any:
    return tf.range(tf.shape(probabilities)[1])
