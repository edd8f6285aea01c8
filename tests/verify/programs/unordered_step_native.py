"""``unordered_step.py`` as a loop, whose rate is that of this step."""

import numpy as np
import tensorflow as tf

STEPS = 6
w = tf.Variable(tf.zeros([4, 1]), name="w")
for number in range(STEPS):
    bx = np.random.RandomState(number).normal(size=(8, 4))
    with tf.GradientTape() as tape:
        error = tf.matmul(tf.constant(bx, tf.float32), w) - tf.constant(bx[:, :1], tf.float32)
        loss = tf.reduce_mean(tf.square(error))
    w.assign_sub(0.2 * 0.8**number * tape.gradient(loss, w))
