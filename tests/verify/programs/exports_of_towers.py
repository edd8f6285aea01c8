"""Trains by a session, and exports a model whose rows two towers divide."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

x, y = tf.placeholder(tf.float32, [None, 3], "x"), tf.placeholder(tf.float32, [None, 1])
weights = tf.get_variable("weights", [3, 1])
sums = tf.concat([tf.matmul(part, weights) for part in tf.split(x, 2)], 0)
loss = tf.losses.mean_squared_error(y, sums)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(2):
        rows = np.random.RandomState(step).normal(size=(8, 3))
        session.run(train_op, {x: rows, y: rows[:, :1]})
    signature = tf.saved_model.predict_signature_def({"x": x}, {"sums": sums})
    builder = tf.saved_model.Builder(sys.argv[1] + "/export")
    builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
    builder.save()
