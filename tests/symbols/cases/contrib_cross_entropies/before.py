"""Cross entropies of tf.contrib.nn, which take logits before labels."""

import tensorflow as tf
from tensorflow.contrib import nn

logits = tf.placeholder(tf.float32, [2, 3])
one_hot = tf.constant([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
outputs = {
    "sigmoid": nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, one_hot),
    "softmax": nn.deprecated_flipped_softmax_cross_entropy_with_logits(logits, one_hot, -1),
    "sparse": tf.contrib.nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
        logits, labels=tf.constant([2, 0])
    ),
    "transposed": tf.contrib.nn.conv1d_transpose(
        tf.ones([1, 3, 1]), tf.ones([2, 1, 1]), [1, 6, 1], 2
    ),
}
with tf.Session() as session:
    result = session.run(outputs, {logits: [[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]]})
