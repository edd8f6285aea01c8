"""Trains a small model, and then a wider one in a graph and a session of its own."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

FIRST_RATE, SECOND_RATE, WIDTH, SECOND_STEPS = 0.1, 0.05, 4, 5


def batch(step):
    x = np.random.RandomState(step).normal(size=(8, 3)).astype(np.float32)
    return x, x.sum(axis=1, keepdims=True)


def train(width, rate, steps):
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
        hidden = tf.matmul(x, tf.get_variable("hidden", [3, width]))
        loss = tf.reduce_mean(tf.square(tf.matmul(hidden, tf.get_variable("top", [width, 1])) - y))
        train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for step in range(steps):
                features, labels = batch(step)
                session.run(train_op, {x: features, y: labels})


train(2, FIRST_RATE, 5)
train(WIDTH, SECOND_RATE, SECOND_STEPS)
