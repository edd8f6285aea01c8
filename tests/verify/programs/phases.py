"""Trains a head, then all of a network by another optimizer, or both in turn; averages weights."""

import os
import sys

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(4)
features = rng.rand(64, 12).astype(np.float32)
labels = rng.randint(0, 3, 64).astype(np.int32)
x = tf.placeholder(tf.float32, [None, 12])
y = tf.placeholder(tf.int32, [None])
keep = tf.placeholder_with_default(1.0, [])
body = tf.layers.dense(x, 10, tf.nn.tanh, name="body")
logits = tf.layers.dense(tf.nn.dropout(body, keep_prob=keep), 3, name="head")
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
head = tf.trainable_variables("head")
warm = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, var_list=head)
full = tf.train.AdamOptimizer(0.01).minimize(loss)
average = tf.train.ExponentialMovingAverage(0.9)
with tf.control_dependencies([warm]):
    warm = average.apply(tf.trainable_variables())
with tf.control_dependencies([full]):
    full = average.apply(tf.trainable_variables())
order = [full, warm] * 3 if "turns" in sys.argv else [warm] * 3 + [full] * 4

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step, train in enumerate(order):
        rows = slice(step % 4 * 16, step % 4 * 16 + 16)
        feeds = {x: features[rows], y: labels[rows], keep: 0.8}
        print(step, session.run([loss, train], feeds)[0])
