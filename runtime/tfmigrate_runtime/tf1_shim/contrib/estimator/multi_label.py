"""The head of examples with any number of labels."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import (
    MetricKeys,
    ModeKeys,
    MultiLabelHead,
    PredictionKeys,
    PredictOutput,
    _TPUEstimatorSpec,
)
from tfmigrate_runtime.compat.shim_estimator import head as canned_head

_Reduction = tf.losses.Reduction


def multi_label_head(
    n_classes: int,
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = _Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    classes_for_class_based_metrics: Sequence[int] | Sequence[str] | None = None,
    name: str | None = None,
) -> Any:
    """Returns a head with the mean sigmoid cross entropy over the classes.

    Labels are an indicator [..., n_classes], or a SparseTensor of class numbers or words.

    Raises:
        ValueError: an argument cannot be right.
    """
    # The errors whose words version 2 changed.
    classes = tuple(classes_for_class_based_metrics or ())
    if n_classes is None or n_classes < 2:
        raise ValueError(
            f"n_classes must be > 1 for multi-class classification. Given: {n_classes}"
        )
    if not label_vocabulary and classes and isinstance(classes[0], str):
        raise ValueError(
            "label_vocabulary must be provided when classes_for_class_based_metrics are sting."
        )
    if loss_reduction not in _Reduction.all() or loss_reduction == _Reduction.NONE:
        raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
    head = MultiLabelHead(
        n_classes,
        thresholds=thresholds,
        label_vocabulary=label_vocabulary,
        loss_fn=loss_fn,
        classes_for_class_based_metrics=classes,
        name=name,
    )
    return _MultiLabelHead(head, weight_column, loss_reduction)


class _MultiLabelHead(canned_head._Head):  # type: ignore[misc]
    """A head of version 1, whose labels and losses of examples are those of version 2.

    Not its weights, which may be of any dense column here, nor its metrics, which are those of
    Keras.
    """

    def __init__(self, head: Any, weight_column: Any, loss_reduction: str) -> None:
        self._head = head
        self._weight_column, self._loss_reduction = weight_column, loss_reduction
        self._n_classes: int = head.logits_dimension
        self._name: str | None = head.name
        self._label_vocabulary = head._label_vocabulary

    @property
    def name(self) -> str | None:
        """The name of the head, which ends the keys of its metrics."""
        return self._name

    @property
    def logits_dimension(self) -> int:
        """The number of classes."""
        return self._n_classes

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> Any:
        """Returns the LossSpec of a batch: logits [..., n_classes]."""
        logits = tf.convert_to_tensor(logits)
        labels = self._head._processed_labels(logits, labels)
        unweighted, _ = self._head._unweighted_loss_and_weights(logits, labels, features)
        weights = canned_head._get_weights_and_check_match_logits(
            features=features, weight_column=self._weight_column, logits=logits
        )
        loss = tf.losses.compute_weighted_loss(
            unweighted, weights=weights, reduction=self._loss_reduction
        )
        return canned_head.LossSpec(
            training_loss=loss, unreduced_loss=unweighted, weights=weights, processed_labels=labels
        )

    def _create_tpu_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Any = None,
        regularization_losses: Any = None,
    ) -> Any:
        # The base class makes an EstimatorSpec of it.
        with tf.name_scope(self._name, "head"):
            logits = canned_head._check_logits_final_dim(logits, self.logits_dimension)
            with tf.name_scope(None, "predictions", (logits,)):
                probabilities = tf.sigmoid(logits, name=PredictionKeys.PROBABILITIES)
                predictions = {
                    PredictionKeys.LOGITS: logits,
                    PredictionKeys.PROBABILITIES: probabilities,
                }
            if mode == ModeKeys.PREDICT:
                return self._prediction(predictions, probabilities)
            created = self.create_loss(features=features, mode=mode, logits=logits, labels=labels)
            penalty = tf.add_n(regularization_losses) if regularization_losses else None
            loss = created.training_loss
            if penalty is not None:
                loss = tf.add_n([loss, penalty])
            if mode == ModeKeys.EVAL:
                metric_inputs = {
                    "labels": created.processed_labels,
                    "probabilities": probabilities,
                    "weights": created.weights,
                    "unreduced_loss": created.unreduced_loss,
                    "regularization_loss": penalty,
                }
                return _TPUEstimatorSpec(
                    mode=mode,
                    predictions=predictions,
                    loss=loss,
                    eval_metrics=canned_head._create_eval_metrics_tuple(
                        self._metrics, metric_inputs
                    ),
                )
            train_op = canned_head._append_update_ops(train_op_of(loss, optimizer, train_op_fn))
            mean = self._mean_loss(created)
        self._summarize(loss, mean, penalty)
        return _TPUEstimatorSpec(mode=mode, predictions=predictions, loss=loss, train_op=train_op)

    def _prediction(self, predictions: Any, probabilities: Any) -> Any:
        classes = canned_head._classification_output(
            scores=probabilities, n_classes=self._n_classes, label_vocabulary=self._label_vocabulary
        )
        return _TPUEstimatorSpec(
            mode=ModeKeys.PREDICT,
            predictions=predictions,
            export_outputs={
                tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: classes,
                canned_head._CLASSIFY_SERVING_KEY: classes,
                canned_head._PREDICT_SERVING_KEY: PredictOutput(predictions),
            },
        )

    def _mean_loss(self, created: Any) -> Any:
        if self._loss_reduction != _Reduction.SUM:
            return None
        weights = tf.reduce_sum(created.weights * tf.ones_like(created.unreduced_loss))
        return created.training_loss / weights

    def _summarize(self, loss: Any, mean: Any, penalty: Any) -> None:
        keys = (MetricKeys.LOSS, MetricKeys.LOSS_MEAN, MetricKeys.LOSS_REGULARIZATION)
        with tf.name_scope(""):
            for key, value in zip(keys, (loss, mean, penalty), strict=True):
                if value is not None:
                    tf.summary.scalar(self._key(key), value)

    def _key(self, key: str) -> str:
        return str(canned_head._summary_key(self._name, key))

    def _metrics(
        self,
        labels: Any,
        probabilities: Any,
        weights: Any,
        unreduced_loss: Any,
        regularization_loss: Any,
    ) -> dict[str, Any]:
        keys = MetricKeys
        inputs = [labels, probabilities, weights, unreduced_loss, regularization_loss]
        whole = {"labels": labels, "predictions": probabilities, "weights": weights}
        metrics_by_key: dict[str, Any] = {}
        with tf.name_scope(None, "metrics", inputs):
            metrics_by_key[keys.LOSS_MEAN] = tf.metrics.mean(
                values=unreduced_loss, weights=weights, name=keys.LOSS_MEAN
            )
            metrics_by_key[keys.AUC] = tf.metrics.auc(**whole, name=keys.AUC)
            metrics_by_key[keys.AUC_PR] = tf.metrics.auc(**whole, curve="PR", name=keys.AUC_PR)
            if regularization_loss is not None:
                metrics_by_key[keys.LOSS_REGULARIZATION] = tf.metrics.mean(
                    values=regularization_loss, name=keys.LOSS_REGULARIZATION
                )
            for threshold in self._head._thresholds:
                for key, metric in (
                    (keys.ACCURACY_AT_THRESHOLD, canned_head._accuracy_at_threshold),
                    (keys.PRECISION_AT_THRESHOLD, canned_head._precision_at_threshold),
                    (keys.RECALL_AT_THRESHOLD, canned_head._recall_at_threshold),
                ):
                    name = key % threshold
                    metrics_by_key[name] = metric(**whole, threshold=threshold, name=name)
            for number in self._head._classes_for_class_based_metrics:
                metrics_by_key.update(
                    self._metrics_of_class(number, labels, probabilities, weights)
                )
        return {self._key(key): metric for key, metric in metrics_by_key.items()}

    def _metrics_of_class(
        self, number: int, labels: Any, probabilities: Any, weights: Any
    ) -> dict[str, Any]:
        keys = MetricKeys
        named: Any = number
        patterns = (keys.PROBABILITY_MEAN_AT_CLASS, keys.AUC_AT_CLASS, keys.AUC_PR_AT_CLASS)
        if self._label_vocabulary is not None:
            named = self._label_vocabulary[number]
            patterns = (keys.PROBABILITY_MEAN_AT_NAME, keys.AUC_AT_NAME, keys.AUC_PR_AT_NAME)
        mean, area, area_pr = (pattern % named for pattern in patterns)
        common_arguments = {
            "predictions": probabilities[..., number : number + 1],
            "weights": weights,
        }
        of_class = {**common_arguments, "labels": labels[..., number : number + 1]}
        return {
            mean: canned_head._predictions_mean(**common_arguments, name=mean),
            area: canned_head._auc(**of_class, name=area),
            area_pr: canned_head._auc(**of_class, curve="PR", name=area_pr),
        }


def train_op_of(loss: Any, optimizer: Any, train_op_fn: Any) -> Any:
    """Returns the training op of a head.

    Raises:
        ValueError: there is neither an optimizer nor a function, or both.
    """
    if optimizer is not None:
        if train_op_fn is not None:
            raise ValueError("train_op_fn and optimizer cannot both be set.")
        return optimizer.minimize(loss, global_step=tf.train.get_global_step())
    if train_op_fn is None:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    return train_op_fn(loss)
