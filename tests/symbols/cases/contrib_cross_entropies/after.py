"""Cross entropies of tf.contrib.nn, which take logits before labels."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

logits = tf.placeholder(tf.float32, [2, 3])
one_hot = tf.constant([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
outputs = {
    "sigmoid": tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=one_hot),
    "softmax": tf.nn.softmax_cross_entropy_with_logits(
        logits=logits,
        labels=one_hot,
        dim=-1),
    "sparse": tf.nn.sparse_softmax_cross_entropy_with_logits(
        logits=logits, labels=tf.constant([2, 0])
    ),
    "transposed": tf.nn.conv1d_transpose(
        tf.ones([1, 3, 1]), tf.ones([2, 1, 1]), [1, 6, 1], 2
    ),
}
with tf.Session() as session:
    result = session.run(outputs, {logits: [[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]]})
