"""A session loop: an LSTM over gated units over a simple recurrent layer, with Adam."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
SIZE, GATED, UNITS, LENGTH, STEPS = 3, 5, 4, 5, 8
x, y = tf.placeholder(tf.float32, [None, LENGTH, SIZE]), tf.placeholder(tf.float32, [None, 2])
uniform = tf.random_uniform_initializer(-0.5, 0.5)
with tf.variable_scope("lower"):
    lower = tf.nn.rnn_cell.BasicRNNCell(SIZE)
    lower, _ = tf.nn.dynamic_rnn(lower, x, dtype=tf.float32)
with tf.variable_scope("middle"):
    middle = tf.nn.rnn_cell.GRUCell(GATED, kernel_initializer=uniform)
    lower, _ = tf.nn.dynamic_rnn(middle, lower, dtype=tf.float32)
with tf.variable_scope("upper"):
    upper = tf.nn.rnn_cell.LSTMCell(UNITS, initializer=uniform, forget_bias=1.0)
    _, (_, state) = tf.nn.dynamic_rnn(upper, lower, dtype=tf.float32)
w = tf.get_variable("w", [UNITS, 2], initializer=uniform)
loss = tf.reduce_mean(tf.square(tf.matmul(state, w) - y))
step = tf.train.get_or_create_global_step()
train_op = tf.train.AdamOptimizer(0.05).minimize(loss, step)

rng = np.random.RandomState(0)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(STEPS):
        features = rng.normal(size=(8, LENGTH, SIZE)).astype(np.float32)
        session.run(train_op, {x: features, y: features.sum(axis=1)[:, :2]})
