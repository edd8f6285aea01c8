"""Losses of contrib.learn's heads: the mean of weighted losses, and their weighted average.

The first one is trained, the second one is a metric; without weights they are the same.
"""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.losses import broadcast_weights

Loss = Callable[[Any, Any, Any], Any]


def weights_of(features: dict[str, Any], name: str | None) -> Any:
    """Returns a feature as weights, float32 of two axes where it had one; None without a name.

    Raises:
        ValueError: there is no such feature.
    """
    if not name:
        return None
    if name not in features:
        raise ValueError(f"Weights {name} missing from features.")
    weights = tf.cast(features[name], tf.float32)
    return tf.reshape(weights, [-1, 1]) if weights.shape.ndims == 1 else weights


def mean_squared_loss(labels: Any, logits: Any, weights: Any = None) -> Any:
    """Returns both means of squared errors."""
    labels, logits = _of_two_axes(labels, logits)
    return _means(tf.squared_difference(logits, tf.cast(labels, tf.float32)), weights)


def poisson_loss(labels: Any, logits: Any, weights: Any = None) -> Any:
    """Returns both means of Poisson losses, all terms included."""
    labels, logits = _of_two_axes(labels, logits)
    return _means(tf.nn.log_poisson_loss(labels, logits, compute_full_loss=True), weights)


def log_loss_with_two_classes(labels: Any, logits: Any, weights: Any = None) -> Any:
    """Returns both means of the cross entropy of one logit."""
    labels = tf.cast(labels, tf.float32)
    labels = tf.expand_dims(labels, 1) if labels.shape.ndims == 1 else labels
    return _means(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), weights)


def softmax_cross_entropy_loss(labels: Any, logits: Any, weights: Any = None) -> Any:
    """Returns both means of the cross entropy of several logits.

    Raises:
        ValueError: labels are no integers.
    """
    labels = tf.convert_to_tensor(labels)
    if not labels.dtype.is_integer:
        raise ValueError(f"Labels dtype should be integer Instead got {labels.dtype}.")
    is_column = labels.shape.ndims == 2
    labels = tf.squeeze(labels, axis=[1]) if is_column else labels
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return _means(tf.expand_dims(losses, 1) if is_column else losses, weights)


def _of_two_axes(labels: Any, logits: Any) -> list[Any]:
    tensors = [tf.convert_to_tensor(tensor) for tensor in (labels, logits)]
    tensors = [tf.expand_dims(each, 1) if each.shape.ndims == 1 else each for each in tensors]
    tensors[1].shape.assert_is_compatible_with(tensors[0].shape)
    return tensors


def _means(losses: Any, weights: Any) -> Any:
    if weights is None:
        mean = tf.reduce_mean(losses, name="loss")
        return mean, mean
    weights = broadcast_weights(weights, losses)
    weighted = losses * weights
    average = tf.reduce_sum(weighted) / tf.reduce_sum(weights)
    return tf.reduce_mean(weighted, name="loss"), average
