"""Numbers from 0 to 1, by the sigmoid cross entropy."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned.labels_and_weights import in_range
from tfmigrate_runtime.estimator.canned.regression_head import RegressionHead
from tfmigrate_runtime.estimator.canned.single_head import SUM_OVER_BATCH_SIZE


class LogisticRegressionHead(RegressionHead):
    """Logistic regression (``tf.estimator.LogisticRegressionHead``).

    Labels are numbers [...] or [..., 1] in [0, 1]; predictions are the sigmoids of the logits.
    Unlike BinaryClassHead it has no classes: neither a vocabulary nor their metrics.
    """

    def __init__(
        self,
        weight_column: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        name: str | None = None,
    ) -> None:
        """Makes a head.

        Args:
            weight_column: the name of a feature, or a numeric column, that weights examples.
            loss_reduction: a ``tf.losses.Reduction`` or its Keras name, not NONE.
            name: suffix of the names of summaries and metrics.

        Raises:
            ValueError: the loss_reduction is unknown.
        """
        super().__init__(1, weight_column, loss_reduction, logistic_loss, tf.sigmoid, name)


def logistic_loss(labels: Any, logits: Any) -> Any:
    """Returns the sigmoid cross entropy of every example, whose labels are in [0, 1]."""
    labels = in_range(labels, 2, "Labels must be in range [0, 1]")
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
