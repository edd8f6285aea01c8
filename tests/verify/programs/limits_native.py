"""``limits.py`` in TensorFlow 2, with the limits that its steps reach."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
weights = tf.Variable(tf.fill((3, 1), 0.1), name="weights")
for step in range(5):
    x = tf.constant(rng.randn(4, 3), tf.float32)
    with tf.GradientTape() as tape:
        norm = tf.nn.l2_normalize(x, 1)
        loss = tf.reduce_mean(tf.square(tf.matmul(norm, weights) - 1.0))
        loss += 1e-3 * tf.reduce_sum(tf.square(weights))
    gradient = tape.gradient(loss, weights)
    gradient = tf.clip_by_value(gradient, -0.3, 0.3)
    weights.assign_sub((0.05 if step <= 2 else 0.025) * gradient)
