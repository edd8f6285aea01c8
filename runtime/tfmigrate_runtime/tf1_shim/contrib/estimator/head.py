"""Heads of one objective.

TensorFlow's last release of tf.estimator still has those of version 1 that canned estimators use;
tf.contrib.estimator gave them other defaults and put two more on top.
"""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import head as canned_head
from tfmigrate_runtime.tf1_shim.contrib.estimator.multi_label import multi_label_head
from tfmigrate_runtime.train.passed_on import with_defaults

__all__ = [
    "binary_classification_head", "logistic_regression_head", "multi_class_head",
    "multi_label_head", "poisson_regression_head", "regression_head",
]  # fmt: skip

_SUM_OVER_BATCH_SIZE = tf.losses.Reduction.SUM_OVER_BATCH_SIZE
_MEAN = {"loss_reduction": _SUM_OVER_BATCH_SIZE}

multi_class_head = with_defaults(
    canned_head._multi_class_head_with_softmax_cross_entropy_loss, **_MEAN
)
binary_classification_head = with_defaults(
    canned_head._binary_logistic_head_with_sigmoid_cross_entropy_loss, **_MEAN
)
regression_head = with_defaults(canned_head._regression_head, **_MEAN)


def poisson_regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = _SUM_OVER_BATCH_SIZE,
    compute_full_loss: bool = True,
    name: str | None = None,
) -> Any:
    """Returns a head of which counts are Poisson distributed, the logits being logarithms."""

    def poisson_loss(labels: Any, logits: Any) -> Any:
        return tf.nn.log_poisson_loss(
            targets=labels, log_input=logits, compute_full_loss=compute_full_loss
        )

    return regression_head(
        weight_column, label_dimension, loss_reduction, poisson_loss, tf.exp, name
    )


def logistic_regression_head(
    weight_column: Any = None, loss_reduction: str = _SUM_OVER_BATCH_SIZE, name: str | None = None
) -> Any:
    """Returns a head of shares between 0 and 1."""

    def logistic_loss(labels: Any, logits: Any) -> Any:
        labels = canned_head._assert_range(
            labels, n_classes=2, message="Labels must be in range [0, 1]"
        )
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    return regression_head(weight_column, 1, loss_reduction, logistic_loss, tf.sigmoid, name)
