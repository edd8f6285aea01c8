"""The heads of version 1 of tf.estimator, and of tf.contrib.estimator.

Programs call them as version 1 had them: with ``create_loss``, and with arguments by position in
its order.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.canned.binary_class_head import BinaryClassHead
from tfmigrate_runtime.estimator.canned.multi_class_head import MultiClassHead
from tfmigrate_runtime.estimator.canned.regression_head import RegressionHead
from tfmigrate_runtime.estimator.canned.single_head import SingleHead
from tfmigrate_runtime.estimator.spec import EstimatorSpec
from tfmigrate_runtime.train.passed_on import pass_on


class LossSpec(NamedTuple):
    """What ``create_loss`` returns.

    Attributes:
        training_loss: scalar float tensor.
        unreduced_loss: float tensor, a loss for every example.
        weights: float tensor that can be multiplied with it, or 1.0.
        processed_labels: the labels as the loss took them.
    """

    training_loss: Any
    unreduced_loss: Any
    weights: Any
    processed_labels: Any


class HeadOfVersion1(SingleHead):
    """What the heads of version 1 have in another form than those of version 2."""

    def create_loss(
        self, features: Mapping[str, Any], mode: str, logits: Any, labels: Any
    ) -> LossSpec:
        """Returns the loss of a batch, without regularization, and what it was made of.

        Args:
            features: tensors by name, with the weights if there are any.
            mode: it does not matter.
            logits: float tensor [..., logits_dimension].
            labels: as the kind of head takes them.
        """
        return LossSpec(*self.losses(features, tf.convert_to_tensor(logits), labels))

    def create_estimator_spec(  # type: ignore[override]  # another order, as in TensorFlow 1.15
        self,
        features: Mapping[str, Any],
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        regularization_losses: Sequence[Any] | None = None,
        *,
        trainable_variables: Sequence[Any] | None = None,
        update_ops: Sequence[Any] | None = None,
    ) -> EstimatorSpec:
        """Returns the EstimatorSpec of a mode; see ``Head.create_estimator_spec``.

        The last two arguments are those that Estimators pass to heads of version 2.
        """
        return pass_on(super().create_estimator_spec, locals())

    def _train_op(
        self,
        loss: Any,
        optimizer: Any,
        trainable_variables: Sequence[Any] | None,  # heads of version 1 took none
        train_op_fn: Callable[[Any], Any] | None,
        update_ops: Sequence[Any] | None,
    ) -> Any:
        if optimizer is not None and train_op_fn is not None:
            raise ValueError("train_op_fn and optimizer cannot both be set.")
        if optimizer is not None:
            train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
        elif train_op_fn is not None:
            train_op = train_op_fn(loss)  # in the name scope of the head
        else:
            raise ValueError("train_op_fn and optimizer cannot both be None.")
        updates = [*tf.get_collection(tf.GraphKeys.UPDATE_OPS), *(update_ops or ())]
        return tf.group(train_op, *updates) if updates else train_op


class BinaryHeadOfVersion1(HeadOfVersion1, BinaryClassHead):
    """Two classes, by one logit and the sigmoid cross entropy, with the areas of tf.metrics."""

    _summation_of_precision_over_recall = "trapezoidal"


class MultiClassHeadOfVersion1(HeadOfVersion1, MultiClassHead):
    """More than two classes, by the softmax cross entropy."""


def classification_head(
    n_classes: int, weight_column: Any, label_vocabulary: Sequence[str] | None, loss_reduction: str
) -> HeadOfVersion1:
    """Returns the head of a classifier of version 1, for two classes or for more.

    It measures with tf.metrics, whose area under precision and recall differs from that of Keras,
    which the heads of version 2 have, by 3.1e-4 (semantics.md, section 4).
    """
    if n_classes == 2:
        return BinaryHeadOfVersion1(weight_column, None, label_vocabulary, loss_reduction)
    return MultiClassHeadOfVersion1(n_classes, weight_column, label_vocabulary, loss_reduction)


class RegressionHeadOfVersion1(HeadOfVersion1, RegressionHead):
    """Numbers, by the squared error or the loss that is given."""
