"""A program of TensorFlow 1.x."""

import numpy as np
import tensorflow as tf

RANDOM = np.random.RandomState(0)
DATA = RANDOM.rand(64, 4).astype(np.float32)
LABELS = DATA.sum(axis=1, keepdims=True)

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
hidden = tf.layers.dense(x, 8, tf.nn.tanh, name="hidden")
output = tf.layers.dense(hidden, 1, name="output")
loss = tf.losses.mean_squared_error(y, output)
step = tf.train.get_or_create_global_step()
train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, step)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(40):
        rows = slice(16 * (number % 4), 16 * (number % 4) + 16)
        session.run([train, loss], {x: DATA[rows], y: LABELS[rows]})
