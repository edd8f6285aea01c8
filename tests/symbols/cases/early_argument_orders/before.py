"""Functions that took their arguments in another order before TensorFlow 1.0."""

import tensorflow as tf

logits = tf.placeholder(tf.float32, [2, 3])
classes = tf.constant([2, 0])
one_hot = tf.constant([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
first, second = tf.split(0, 2, logits)
image = tf.reshape(tf.to_float(tf.range(12)), [1, 2, 2, 3])
outputs = {
    "concat": tf.concat(1, [logits, one_hot]),
    "concat_of_these": tf.concat(1, values=[logits, one_hot]),
    "concat_by_name": tf.concat(concat_dim=0, values=[first, second]),
    "concat_of_today": tf.concat([first, second], 0),
    "split": tf.split(split_dim=1, num_split=3, value=logits)[1],
    "split_of_today": tf.split(logits, 3, 1)[1],
    "reverse": tf.reverse(logits, [False, True]),
    "resized": tf.image.resize_images(image, 4, 4, method=tf.image.ResizeMethod.NEAREST_NEIGHBOR),
    "sparse": tf.nn.sparse_softmax_cross_entropy_with_logits(logits, classes),
    "softmax": tf.nn.softmax_cross_entropy_with_logits(logits, one_hot, name="cost"),
    "sigmoid": tf.nn.sigmoid_cross_entropy_with_logits(logits, targets=one_hot),
    "sum": tf.reduce_sum(logits, reduction_indices=[1], keep_dims=True),
    "argmax": tf.argmax(logits, dimension=1),
}
with tf.Session() as session:
    result = session.run(outputs, {logits: [[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]]})
