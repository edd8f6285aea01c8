"""A session loop: two layers of variables, momentum, eight steps, then results."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])


def dense(inputs, units, activation, name):
    with tf.variable_scope(name):
        weights = tf.get_variable("weights", [inputs.shape[1], units])
        biases = tf.get_variable("biases", [units], initializer=tf.zeros_initializer())
        return activation(tf.matmul(inputs, weights) + biases)


with tf.variable_scope("net"):
    first = dense(x, 4, tf.tanh, "first")
    second = dense(first, 4, tf.tanh, "second")
    top = dense(second, 1, tf.identity, "top")
loss = tf.reduce_mean(tf.square(top - y))
step = tf.train.get_or_create_global_step()
train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, step)


def batch(number):
    features = np.random.RandomState(number).normal(size=(8, 3)).astype(np.float32)
    return features, features.sum(axis=1, keepdims=True)


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(8):
        features, labels = batch(number)
        session.run(train_op, {x: features, y: labels})
