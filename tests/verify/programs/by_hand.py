"""Trains by an optimizer, then by gradients of its own, and changes its variables after that."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

FINE_TUNING_STEPS, FINE_TUNING_RATE = 3, 0.01

x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
weights = tf.get_variable("weights", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - y))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
gradient = tf.gradients(loss, [weights])[0]
fine_tune = tf.assign_sub(weights, FINE_TUNING_RATE * gradient)
shrink = weights.assign(0.5 * weights)


def batch(step):
    features = np.random.RandomState(step).normal(size=(8, 3)).astype(np.float32)
    return {x: features, y: features.sum(axis=1, keepdims=True)}


session = tf.Session()
session.run(tf.global_variables_initializer())
for step in range(4):
    session.run(train_op, batch(step))
for step in range(FINE_TUNING_STEPS):
    session.run(fine_tune, batch(step))
session.run(shrink)
