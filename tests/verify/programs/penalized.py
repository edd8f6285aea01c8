"""A penalty on the gradients of a loss, and weights divided by their estimated spectral norm.

Each run estimates the norm twice, of real and of shifted rows: both start from one vector.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

x, y = tf.placeholder(tf.float32, [8, 3]), tf.placeholder(tf.float32, [8, 2])
w = tf.get_variable("w", [3, 2])
b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
u = tf.get_variable("u", [1, 2], initializer=tf.ones_initializer(), trainable=False)


def outputs(rows):
    v = tf.nn.l2_normalize(tf.matmul(u, w, transpose_b=True))
    following = tf.nn.l2_normalize(tf.matmul(v, w))
    norm = tf.reduce_sum(tf.stop_gradient(v) @ w * tf.stop_gradient(following))
    with tf.control_dependencies([u.assign(following)]):
        return rows @ (w / norm) + b


error = tf.reduce_mean((outputs(x) - y) ** 2) + tf.reduce_mean(outputs(x + 1.0) ** 2)
of_weights = tf.gradients(error, [w, b])
loss = error + 0.1 * tf.global_norm(of_weights)
of_w, of_b = tf.gradients(loss, [w, b])
train = tf.train.GradientDescentOptimizer(0.05).apply_gradients([(of_w, w), (of_b, b)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(5):
        rows = np.random.RandomState(step).normal(size=(8, 5))
        session.run(train, {x: rows[:, :3], y: rows[:, 3:]})
