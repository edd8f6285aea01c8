"""``by_hand.py`` without sessions, and without an optimizer."""

import sys

import numpy as np
import tensorflow as tf

FINE_TUNING_STEPS, FINE_TUNING_RATE = 3, 0.01

weights = tf.Variable(tf.initializers.GlorotUniform()([3, 1]), name="weights")


def train(features, labels, rate):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(features, weights) - labels))
    weights.assign_sub(rate * tape.gradient(loss, weights))


def batch(step):
    features = np.random.RandomState(step).normal(size=(8, 3)).astype(np.float32)
    return features, features.sum(axis=1, keepdims=True)


if "function" in sys.argv:
    train = tf.function(train)
for step in range(4):
    train(*batch(step), tf.constant(0.1))
for step in range(FINE_TUNING_STEPS):
    train(*batch(step), tf.constant(FINE_TUNING_RATE))
weights.assign(0.5 * weights)
