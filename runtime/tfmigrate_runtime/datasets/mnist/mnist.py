"""The network of the tutorial (``tensorflow.examples.tutorials.mnist.mnist``)."""

import math
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "IMAGE_PIXELS", "IMAGE_SIZE", "NUM_CLASSES", "evaluation", "inference", "loss", "training",
]  # fmt: skip

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """Builds the network, under the names it had: hidden1, hidden2, softmax_linear.

    Args:
        images: float32 [batch, 784].
        hidden1_units: size of the first hidden layer.
        hidden2_units: size of the second.

    Returns:
        logits float32 [batch, 10].
    """
    hidden1 = tf.nn.relu(_linear("hidden1", images, IMAGE_PIXELS, hidden1_units))
    hidden2 = tf.nn.relu(_linear("hidden2", hidden1, hidden1_units, hidden2_units))
    return _linear("softmax_linear", hidden2, hidden2_units, NUM_CLASSES)


def _linear(scope: str, inputs: Any, rows: int, columns: int) -> Any:
    with tf.name_scope(scope):
        initial = tf.truncated_normal([rows, columns], stddev=1.0 / math.sqrt(rows))
        weights = tf.Variable(initial, name="weights")
        biases = tf.Variable(tf.zeros([columns]), name="biases")
        return tf.matmul(inputs, weights) + biases


def loss(logits: Any, labels: Any) -> Any:
    """Returns the mean cross entropy.

    Args:
        logits: float32 [batch, 10].
        labels: integers [batch].

    Returns:
        float32 [].
    """
    return tf.losses.sparse_softmax_cross_entropy(tf.cast(labels, tf.int64), logits)


def training(loss: Any, learning_rate: float) -> Any:
    """Returns the operation of one step of gradient descent, with a summary of the loss.

    Args:
        loss: float32 [].
        learning_rate: its rate.
    """
    tf.summary.scalar("loss", loss)
    optimizer = tf.train.GradientDescentOptimizer(learning_rate)
    global_step = tf.Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits: Any, labels: Any) -> Any:
    """Returns how many examples are recognised.

    Args:
        logits: float32 [batch, 10].
        labels: integers [batch].

    Returns:
        int32 [].
    """
    return tf.reduce_sum(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.int32))
