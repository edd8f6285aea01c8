"""What is asked of every head: the part of a model after its logits."""

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfmigrate_runtime.estimator.spec import EstimatorSpec


class Head(abc.ABC):
    """The part of a model after its logits (``tf.estimator.Head``)."""

    @property
    @abc.abstractmethod
    def name(self) -> str | None:
        """Suffix of the names of summaries and metrics, None for none."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """The size of the last axis of the logits."""

    @property
    @abc.abstractmethod
    def loss_reduction(self) -> str:
        """How the losses of examples are reduced to that of a batch."""

    @abc.abstractmethod
    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Mapping[str, Any] | None = None,
        mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> Any:
        """Returns the loss of a batch, a scalar float tensor.

        Args:
            labels: as the kind of head takes them.
            logits: float tensor [..., logits_dimension].
            features: tensors by name, with the weights if there are any.
            mode: one of ModeKeys.
            regularization_losses: scalars that are added to the loss.
        """

    @abc.abstractmethod
    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[Any, Any]:
        """Returns tensors by name.

        Args:
            logits: float tensor [..., logits_dimension].
            keys: which of them, None for all.
        """

    def metrics(self, regularization_losses: Sequence[Any] | None = None) -> dict[str, Any]:
        """Returns new Keras metrics by name, for loops that are no Estimator's.

        Args:
            regularization_losses: scalars that are added to the loss, if there are any.

        Raises:
            NotImplementedError: a head of the program's own has none.
        """
        raise NotImplementedError(f"{type(self).__name__} has no metrics()")

    def update_metrics(
        self,
        eval_metrics: dict[str, Any],
        features: Mapping[str, Any],
        logits: Any,
        labels: Any,
        regularization_losses: Sequence[Any] | None = None,
    ) -> dict[str, Any]:
        """Adds a batch to the metrics that ``metrics`` made, and returns them.

        Args:
            eval_metrics: Keras metrics by name.
            features: tensors by name, with the weights if there are any.
            logits: float tensor [..., logits_dimension].
            labels: as the kind of head takes them.
            regularization_losses: scalars that are added to the loss.

        Raises:
            NotImplementedError: a head of the program's own has none.
        """
        raise NotImplementedError(f"{type(self).__name__} has no update_metrics()")

    @abc.abstractmethod
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
        """Returns the EstimatorSpec of a mode.

        Args:
            features: tensors by name.
            mode: one of ModeKeys.
            logits: float tensor [..., logits_dimension].
            labels: not needed for PREDICT.
            optimizer: a tf.train.Optimizer, or a Keras optimizer of version 2, for TRAIN.
            trainable_variables: what it trains, None for all; Keras optimizers need them.
            train_op_fn: from the loss to the training op, instead of optimizer.
            update_ops: ops to run with it; the collection UPDATE_OPS is run anyway.
            regularization_losses: scalars that are added to the loss.

        Raises:
            ValueError: for TRAIN, both or none of optimizer and train_op_fn are given, or the
                last axis of the logits has another size.
        """
