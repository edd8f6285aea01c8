"""Learns start weights of a step of each task (MAML), with a penalty on that step's gradients."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

xs, ys = tf.placeholder(tf.float32, [4, 6, 2]), tf.placeholder(tf.float32, [4, 6, 1])
w = tf.get_variable("w", [2, 1])
b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())


def task(task_rows):
    x, y = task_rows
    inner = tf.reduce_mean((x[:3] @ w + b - y[:3]) ** 2)
    of_w, of_b = tf.gradients(inner, [w, b])
    adapted = x[3:] @ (w - 0.1 * of_w) + b - 0.1 * of_b
    return tf.reduce_mean((adapted - y[3:]) ** 2), tf.reduce_sum(of_w**2)


losses, penalties = tf.map_fn(task, (xs, ys), dtype=(tf.float32, tf.float32))
loss = tf.reduce_mean(losses) + 0.01 * tf.reduce_mean(penalties)
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(5):
        rows = np.random.RandomState(step).normal(size=(4, 6, 3))
        session.run(train, {xs: rows[..., :2], ys: rows[..., 2:]})
