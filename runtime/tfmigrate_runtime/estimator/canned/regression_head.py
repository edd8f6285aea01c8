"""Numbers, by the squared error."""

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned import measures
from tfmigrate_runtime.estimator.canned.labels_and_weights import dense_labels
from tfmigrate_runtime.estimator.canned.measures import Measure
from tfmigrate_runtime.estimator.canned.single_head import (
    DEFAULT_SIGNATURE,
    SUM_OVER_BATCH_SIZE,
    SingleHead,
)
from tfmigrate_runtime.estimator.export import RegressionOutput


class RegressionHead(SingleHead):
    """Regression (``tf.estimator.RegressionHead``)."""

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        inverse_link_fn: Callable[[Any], Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Makes a head.

        Args:
            label_dimension: numbers of an example.
            weight_column: the name of a feature, or a numeric column, that weights examples.
            loss_reduction: a ``tf.losses.Reduction`` or its Keras name, not NONE.
            loss_fn: takes labels and logits; None for the squared error.
            inverse_link_fn: from logits to predictions (tf.exp for a Poisson regression), None
                for the logits themselves.
            name: suffix of the names of summaries and metrics.

        Raises:
            ValueError: the label_dimension is not positive, or the loss_reduction is unknown.
        """
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        super().__init__(label_dimension, weight_column, loss_reduction, loss_fn, name)
        self._losses_of_an_example = label_dimension
        self._inverse_link_fn = inverse_link_fn

    def _predictions(self, logits: Any) -> dict[str, Any]:
        if self._inverse_link_fn is None:
            return {"predictions": logits}
        return {"predictions": self._inverse_link_fn(logits), "logits": logits}

    def _processed_labels(self, labels: Any, logits: Any) -> Any:
        return tf.cast(dense_labels(labels, logits, self.logits_dimension), tf.float32)

    def _unreduced_loss(self, labels: Any, logits: Any) -> Any:
        return tf.losses.mean_squared_error(labels, logits, reduction=tf.losses.Reduction.NONE)

    def _measures(self) -> dict[str, Measure]:
        return {
            "prediction/mean": measures.mean(lambda values, _: (values["predictions"],)),
            "label/mean": measures.mean(lambda _, labels: (labels,)),
        }

    def _export_outputs(self, predictions: Mapping[str, Any]) -> dict[str, Any]:
        output = RegressionOutput(predictions["predictions"])
        return {DEFAULT_SIGNATURE: output, "regression": output}
