"""Increments the step that its learning rate is computed from in no order with training."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

STEPS = 6
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
step = tf.get_variable("step", [], tf.int32, tf.zeros_initializer(), trainable=False)
w = tf.get_variable("w", [4, 1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
rate = tf.train.exponential_decay(0.2, step, 1, 0.8)
train = tf.group(tf.train.GradientDescentOptimizer(rate).minimize(loss), tf.assign_add(step, 1))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for number in range(STEPS):
        bx = np.random.RandomState(number).normal(size=(8, 4))
        sess.run([train, loss, rate], {x: bx, y: bx[:, :1]})
