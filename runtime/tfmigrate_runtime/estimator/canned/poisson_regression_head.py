"""Counts, by the Poisson loss."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned.regression_head import RegressionHead
from tfmigrate_runtime.estimator.canned.single_head import SUM_OVER_BATCH_SIZE
from tfmigrate_runtime.train.passed_on import pass_on


class PoissonRegressionHead(RegressionHead):
    """Poisson regression (``tf.estimator.PoissonRegressionHead``).

    Labels are numbers [..., label_dimension] that are not negative; predictions are e to the power
    of the logits.
    """

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        compute_full_loss: bool = True,
        name: str | None = None,
    ) -> None:
        """Makes a head.

        Args:
            label_dimension: numbers of an example.
            weight_column: the name of a feature, or a numeric column, that weights examples.
            loss_reduction: a ``tf.losses.Reduction`` or its Keras name, not NONE.
            compute_full_loss: whether the loss has the term of the labels alone; see
                ``tf.nn.log_poisson_loss``.
            name: suffix of the names of summaries and metrics.

        Raises:
            ValueError: the label_dimension is not positive, or the loss_reduction is unknown.
        """

        def loss_fn(labels: Any, logits: Any) -> Any:
            return tf.nn.log_poisson_loss(
                targets=labels, log_input=logits, compute_full_loss=compute_full_loss
            )

        pass_on(super().__init__, locals(), inverse_link_fn=tf.exp)
