"""A loop of TensorFlow 1.15 with limits, of which the steps reach some."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
x = tf.placeholder(tf.float32, (4, 3))
weights = tf.get_variable("weights", (3, 1), initializer=tf.constant_initializer(0.1))
step = tf.train.get_or_create_global_step()
floor = tf.maximum(tf.reduce_sum(tf.square(weights)), 1e-6)
norm = tf.nn.l2_normalize(tf.maximum(x, -9.0), 1)  # with a floor that this program did not write
loss = tf.reduce_mean(tf.square(tf.matmul(norm, weights) - 1.0)) + 1e-3 * floor
rate = tf.train.piecewise_constant(step, [2, 30000], [0.1, 0.05, 0.01])
rate = rate * tf.train.exponential_decay(1.0, step, 1000, 0.9, staircase=True)
warm = tf.where(step < 1000, 0.5, 1.0)
optimizer = tf.train.GradientDescentOptimizer(rate * warm)
((gradient, variable),) = optimizer.compute_gradients(loss)
(gradient,), _ = tf.clip_by_global_norm([gradient], 5.0)
gradient = tf.clip_by_value(gradient, -0.3, 0.3)
gradient *= tf.where(tf.equal(tf.as_string(step), "1000"), 2.0, 1.0)
train = optimizer.apply_gradients([(gradient, variable)], step)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(5):
        session.run(train, {x: rng.randn(4, 3)})
