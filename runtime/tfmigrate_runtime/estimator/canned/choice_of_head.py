"""The head of a classifier, by its number of classes.

Version 1's classifiers measured with tf.metrics, whose area under precision and recall differs from
that of Keras by 3.1e-4 (semantics.md, section 4), and the public heads with Keras.
"""

from collections.abc import Sequence
from typing import Any

from tfmigrate_runtime.estimator.canned.binary_class_head import BinaryClassHead
from tfmigrate_runtime.estimator.canned.head import Head
from tfmigrate_runtime.estimator.canned.multi_class_head import MultiClassHead


class _BinaryClassHeadOfVersion1(BinaryClassHead):
    """The head of version 1's classifiers, which have the metrics of ``tf.metrics``."""

    _summation_of_precision_over_recall = "trapezoidal"


def classification_head(
    n_classes: int, weight_column: Any, label_vocabulary: Sequence[str] | None, loss_reduction: str
) -> Head:
    """Returns a BinaryClassHead for two classes, else a MultiClassHead."""
    if n_classes == 2:
        return _BinaryClassHeadOfVersion1(
            weight_column=weight_column,
            label_vocabulary=label_vocabulary,
            loss_reduction=loss_reduction,
        )
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)
