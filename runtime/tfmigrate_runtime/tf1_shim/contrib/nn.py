"""tf.contrib.nn: what needs no kernel of its own."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_ops import nth_element

__all__ = [
    "conv1d_transpose",
    "deprecated_flipped_sigmoid_cross_entropy_with_logits",
    "deprecated_flipped_softmax_cross_entropy_with_logits",
    "deprecated_flipped_sparse_softmax_cross_entropy_with_logits",
    "nth_element",
]

conv1d_transpose = tf.nn.conv1d_transpose


def deprecated_flipped_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, dim: int = -1, name: str | None = None
) -> Any:
    """Is tf.nn.softmax_cross_entropy_with_logits, with the order before TensorFlow 1.0."""
    return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, name: str | None = None
) -> Any:
    """Is the sparse one, with the order before TensorFlow 1.0."""
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(
    logits: Any, targets: Any, name: str | None = None
) -> Any:
    """Is the one of sigmoids, with the order before TensorFlow 1.0."""
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)
