"""The functions that made heads of version 1: tf.contrib.estimator's, and those behind them.

Their heads take the arguments of ``create_estimator_spec`` in the order of TensorFlow 1.15, and
have ``create_loss``. The private functions are those of ``tensorflow.python.estimator.canned.head``
under their own names, since programs import them by these; they sum losses unless the caller says
how to reduce them, where those of tf.contrib.estimator take the mean.
"""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned.logistic_regression_head import logistic_loss
from tfmigrate_runtime.estimator.canned.version_1 import (
    BinaryHeadOfVersion1,
    HeadOfVersion1,
    LossSpec,
    MultiClassHeadOfVersion1,
    RegressionHeadOfVersion1,
    classification_head,
)
from tfmigrate_runtime.train.passed_on import with_defaults

__all__ = [
    "LossSpec", "_binary_logistic_head_with_sigmoid_cross_entropy_loss",
    "_binary_logistic_or_multi_class_head", "_multi_class_head_with_softmax_cross_entropy_loss",
    "_regression_head", "_regression_head_with_mean_squared_error_loss",
    "binary_classification_head", "logistic_regression_head", "multi_class_head",
    "poisson_regression_head", "regression_head",
]  # fmt: skip

_MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE
_SUM = tf.losses.Reduction.SUM


def binary_classification_head(
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = _MEAN,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> HeadOfVersion1:
    """Returns a head for two classes; see ``BinaryClassHead`` for the arguments."""
    return BinaryHeadOfVersion1(
        weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name
    )


def multi_class_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = _MEAN,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> HeadOfVersion1:
    """Returns a head for more than two classes; see ``MultiClassHead`` for the arguments."""
    return MultiClassHeadOfVersion1(
        n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name
    )


def regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = _MEAN,
    loss_fn: Callable[..., Any] | None = None,
    inverse_link_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
) -> HeadOfVersion1:
    """Returns a head for numbers; see ``RegressionHead`` for the arguments."""
    return RegressionHeadOfVersion1(
        label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name
    )


def poisson_regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = _MEAN,
    compute_full_loss: bool = True,
    name: str | None = None,
) -> HeadOfVersion1:
    """Returns a head for counts; see ``PoissonRegressionHead`` for the arguments."""

    def loss(labels: Any, logits: Any) -> Any:
        return tf.nn.log_poisson_loss(
            targets=labels, log_input=logits, compute_full_loss=compute_full_loss
        )

    return regression_head(weight_column, label_dimension, loss_reduction, loss, tf.exp, name)


def logistic_regression_head(
    weight_column: Any = None, loss_reduction: str = _MEAN, name: str | None = None
) -> HeadOfVersion1:
    """Returns a head for numbers in [0, 1]; see ``LogisticRegressionHead`` for the arguments."""
    return regression_head(weight_column, 1, loss_reduction, logistic_loss, tf.sigmoid, name)


_binary_logistic_head_with_sigmoid_cross_entropy_loss = with_defaults(
    binary_classification_head, loss_reduction=_SUM
)
_multi_class_head_with_softmax_cross_entropy_loss = with_defaults(
    multi_class_head, loss_reduction=_SUM
)
_regression_head = with_defaults(regression_head, loss_reduction=_SUM)
_binary_logistic_or_multi_class_head = classification_head
_regression_head_with_mean_squared_error_loss = _regression_head  # as it was until TensorFlow 1.4
