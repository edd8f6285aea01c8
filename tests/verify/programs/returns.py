"""Training steps return their loss, other values, and variables that they write."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

EVERY = 1

x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
weights = tf.get_variable("weights", [3, 1])
distances = tf.square(tf.matmul(x, weights) - y)
loss = tf.reduce_mean(distances) + 0.1 * tf.nn.l2_loss(weights)
worst = tf.reduce_max(distances, name="worst")
near = tf.reduce_sum(tf.cast(distances < 1.0, tf.int32), name="near")
size = tf.norm(weights, name="size")
rate = tf.constant(0.05, name="rate")
last = tf.get_local_variable("last", [], initializer=tf.zeros_initializer())
note = tf.assign(last, tf.reduce_min(distances), name="note")
global_step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step)
with tf.control_dependencies([train_op]):
    after = tf.identity(weights.read_value(), name="after")
found = {"near": near, "rest": [note, after], "rate": rate, "size": size}

with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for step in range(6):
        rows = np.random.RandomState(step).normal(size=(8, 3)).astype(np.float32)
        batch = {x: rows, y: rows.sum(axis=1, keepdims=True)}
        if step % EVERY:
            session.run(train_op, batch)
        else:
            session.run([train_op, loss, worst, found, global_step, weights], batch)
