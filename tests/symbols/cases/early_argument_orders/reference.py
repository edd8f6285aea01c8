"""Functions that took their arguments in another order as TensorFlow 1.15 takes them."""

import tensorflow as tf

logits = tf.placeholder(tf.float32, [2, 3])
classes = tf.constant([2, 0])
one_hot = tf.constant([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
first, second = tf.split(logits, 2, 0)
image = tf.reshape(tf.to_float(tf.range(12)), [1, 2, 2, 3])
outputs = {
    "concat": tf.concat([logits, one_hot], 1),
    "concat_of_these": tf.concat([logits, one_hot], 1),
    "concat_by_name": tf.concat(axis=0, values=[first, second]),
    "concat_of_today": tf.concat([first, second], 0),
    "split": tf.split(logits, 3, axis=1)[1],
    "split_of_today": tf.split(logits, 3, 1)[1],
    "reverse": tf.reverse(logits, [1]),
    "resized": tf.image.resize_images(image, [4, 4], method=tf.image.ResizeMethod.NEAREST_NEIGHBOR),
    "sparse": tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits),
    "softmax": tf.nn.softmax_cross_entropy_with_logits(labels=one_hot, logits=logits, name="cost"),
    "sigmoid": tf.nn.sigmoid_cross_entropy_with_logits(labels=one_hot, logits=logits),
    "sum": tf.reduce_sum(logits, reduction_indices=[1], keep_dims=True),
    "argmax": tf.argmax(logits, dimension=1),
}
with tf.Session() as session:
    result = session.run(outputs, {logits: [[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]]})
