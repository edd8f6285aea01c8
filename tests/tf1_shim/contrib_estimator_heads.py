"""Heads of tf.contrib.estimator on fixed logits. Python 3.7 has to understand this file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import replicated_models as models
import tensorflow as tf
from replicated_models import EVAL, PREDICT, ROWS, TRAIN, X, estimator

SUM = tf.losses.Reduction.SUM
VOCABULARY = ["low", "mid", "high"]
SEVERAL = (np.arange(ROWS * 3).reshape(ROWS, 3) % 5 < 2).astype(np.int64)
TWO = (np.arange(ROWS) % 3 == 0).astype(np.int64)
THREE = np.arange(ROWS) % 3
SHARES = (np.arange(ROWS) / 9.0).astype(np.float32)
COUNTS = (np.arange(ROWS * 2).reshape(ROWS, 2) % 4).astype(np.float32)
WEIGHTS = np.array([1, 0, 2, 1, 1, 3, 0, 1], np.float32)


def sparse(values: Any) -> Any:
    """Returns the labels of SEVERAL as a SparseTensor of class numbers or words."""
    indices = np.argwhere(SEVERAL == 1)
    return tf.SparseTensor(indices, tf.constant([values[k] for _, k in indices]), [ROWS, 3])


def distance(labels: Any, logits: Any, features: Any) -> Any:
    """A loss of the caller's."""
    away = tf.abs(tf.cast(labels, tf.float32) - logits) * features["w"][:, None]
    return tf.reduce_sum(away, axis=-1, keepdims=True)


def _three(**given: Any) -> Any:
    return estimator.multi_head(
        [
            estimator.multi_label_head(3, name="several", thresholds=[0.4]),
            estimator.binary_classification_head(name="two", weight_column="w"),
            estimator.poisson_regression_head(label_dimension=2, name="counts"),
        ],
        **given,
    )


OF_THREE = {"several": SEVERAL, "two": TWO, "counts": COUNTS}
HEADS: dict[str, tuple[Callable[[], Any], Any]] = {
    "multi_class": (
        lambda: estimator.multi_class_head(3, weight_column="w", name="three"),
        THREE,
    ),
    "binary": (lambda: estimator.binary_classification_head(thresholds=[0.4]), TWO),
    "regression": (lambda: estimator.regression_head("w", 2, loss_reduction=SUM), COUNTS),
    "poisson": (lambda: estimator.poisson_regression_head("w", 2), COUNTS),
    "poisson_short": (
        lambda: estimator.poisson_regression_head(None, 2, compute_full_loss=False),
        COUNTS,
    ),
    "logistic": (lambda: estimator.logistic_regression_head("w", name="share"), SHARES),
    "multi_label": (
        lambda: estimator.multi_label_head(
            3, "w", thresholds=[0.3, 0.5], classes_for_class_based_metrics=[0, 2]
        ),
        SEVERAL,
    ),
    "multi_label_sum": (
        lambda: estimator.multi_label_head(3, loss_reduction=SUM, loss_fn=distance, name="a"),
        SEVERAL,
    ),
    "multi_label_words": (
        lambda: estimator.multi_label_head(
            3, label_vocabulary=VOCABULARY, classes_for_class_based_metrics=["high"]
        ),
        lambda: sparse(VOCABULARY),
    ),
    "multi_label_ids": (lambda: estimator.multi_label_head(3), lambda: sparse([0, 1, 2])),
    "multi_head": (_three, OF_THREE),
    "multi_head_weights": (lambda: _three(head_weights=[0.5, 2.0, 0.1]), OF_THREE),
}


def heads() -> dict[str, Any]:
    """Trains, evaluates and predicts with every head."""
    return {
        name + "/" + mode: _result(make, labels, mode)
        for name, (make, labels) in HEADS.items()
        for mode in (TRAIN, EVAL, PREDICT)
    }


def _result(make: Callable[[], Any], labels: Any, mode: str) -> dict[str, Any]:
    with tf.Graph().as_default() as graph:
        head = make()
        tf.train.get_or_create_global_step()
        width = head.logits_dimension
        kernel = tf.get_variable("kernel", [4, width], initializer=models.fixed)
        logits = tf.matmul(tf.constant(X), kernel)
        given = {} if width > 5 else {"regularization_losses": [0.1 * tf.nn.l2_loss(kernel)]}
        if mode == PREDICT:
            labels = None
        elif callable(labels):
            labels = labels()
        elif isinstance(labels, dict):
            labels = {name: tf.constant(value) for name, value in labels.items()}
        spec = head.create_estimator_spec(
            features={"w": tf.constant(WEIGHTS)},
            mode=mode,
            logits=logits,
            labels=labels,
            train_op_fn=lambda loss: tf.train.GradientDescentOptimizer(0.1).minimize(loss),
            **given,
        )
        return _run(spec, mode, graph)


def _run(spec: Any, mode: str, graph: Any) -> dict[str, Any]:
    with models.initialized() as opened:
        opened.run(tf.tables_initializer())
        if mode == TRAIN:
            loss = float(opened.run(spec.loss))
            opened.run(spec.train_op)
            summaries = [tensor.name for tensor in graph.get_collection("summaries")]
            return {"loss": loss, "summaries": summaries, "trained": models.variables_of(opened)}
        if mode == EVAL:
            opened.run([update for _, update in spec.eval_metric_ops.values()])
            metrics = opened.run({k: value for k, (value, _) in spec.eval_metric_ops.items()})
            return {
                "loss": float(opened.run(spec.loss)),
                "metrics": {key: float(value) for key, value in metrics.items()},
            }
        predictions = {str(key): value for key, value in spec.predictions.items()}
        return {
            "predictions": {k: _listed(v) for k, v in opened.run(predictions).items()},
            "outputs": {k: type(v).__name__ for k, v in spec.export_outputs.items()},
        }


def _listed(values: Any) -> Any:
    return values.astype(str).tolist() if values.dtype == object else values.tolist()


def head_errors() -> dict[str, Any]:
    """What heads refuse."""
    e = estimator
    named = e.regression_head(name="a")
    calls: dict[str, Callable[[], Any]] = {
        "one class": lambda: e.multi_label_head(1),
        "threshold": lambda: e.multi_label_head(2, thresholds=[1.0]),
        "vocabulary": lambda: e.multi_label_head(3, label_vocabulary=["a"]),
        "vocabulary kind": lambda: e.multi_label_head(3, label_vocabulary="abc"),
        "reduction": lambda: e.multi_label_head(3, loss_reduction="none"),
        "words": lambda: e.multi_label_head(3, classes_for_class_based_metrics=["a"]),
        "classes": lambda: e.multi_label_head(3, classes_for_class_based_metrics=[3]),
        "no heads": lambda: e.multi_head([]),
        "weights": lambda: e.multi_head([named], [1.0, 2.0]),
        "logits": lambda: e.multi_head([named]).create_estimator_spec({}, PREDICT, tf.constant(X)),
        "no optimizer": lambda: e.multi_head([named]).create_estimator_spec(
            {}, TRAIN, tf.constant(X[:, :1]), labels={"a": tf.constant(SHARES)}
        ),
    }
    return {name: models.error_of(call) for name, call in calls.items()}
