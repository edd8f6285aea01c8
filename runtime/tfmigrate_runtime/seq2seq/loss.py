"""The loss of tf.contrib.seq2seq."""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """Returns the weighted cross entropy of sequences (contrib/seq2seq/python/ops/loss.py).

    Args:
        logits: [batch_size, time, classes].
        targets: the classes, int32 or int64 [batch_size, time].
        weights: [batch_size, time].
        average_across_timesteps: whether to divide by the weights along time.
        average_across_batch: whether to divide by the weights along the batch.
        sum_over_timesteps: whether to divide by the number of weights along time that are not 0.
        sum_over_batch: the same along the batch.
        softmax_loss_function: used with labels and logits instead of the cross entropy.
        name: of the scope.

    Returns:
        [], or [time], [batch_size], or [batch_size, time] where less is averaged or summed.

    Raises:
        ValueError: a tensor has another rank, or one axis is both averaged and summed.
    """
    for tensor, rank, shape in (
        (logits, 3, "Logits must be a [batch_size x sequence_length x logits]"),
        (targets, 2, "Targets must be a [batch_size x sequence_length]"),
        (weights, 2, "Weights must be a [batch_size x sequence_length]"),
    ):
        if len(tensor.shape) != rank:
            raise ValueError(f"{shape} tensor")
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError(
            "average_across_timesteps and sum_over_timesteps cannot be set to True at same time."
        )
    if average_across_batch and sum_over_batch:
        raise ValueError(
            "average_across_batch and sum_over_batch cannot be set to True at same time."
        )
    with tf.name_scope(name, "sequence_loss", [logits, targets, weights]):
        flat = tf.reshape(logits, [-1, tf.shape(logits)[2]])
        function = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
        losses = function(labels=tf.reshape(targets, [-1]), logits=flat)
        losses = tf.reshape(losses * tf.reshape(weights, [-1]), tf.shape(logits)[:2])
        if average_across_timesteps and average_across_batch:
            return tf.div_no_nan(tf.reduce_sum(losses), tf.reduce_sum(weights))
        if sum_over_timesteps and sum_over_batch:
            count = tf.cast(tf.count_nonzero(weights), losses.dtype)
            return tf.div_no_nan(tf.reduce_sum(losses), count)
        if average_across_timesteps or average_across_batch:
            axis = [0] if average_across_batch else [1]
            return tf.div_no_nan(tf.reduce_sum(losses, axis), tf.reduce_sum(weights, axis))
        if sum_over_timesteps or sum_over_batch:
            axis = [0] if sum_over_batch else [1]
            count = tf.cast(tf.count_nonzero(weights, axis), losses.dtype)
            return tf.div_no_nan(tf.reduce_sum(losses, axis), count)
        return losses
