"""A layer so wide that rounding decides on which side of zero a few of its units are."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

STEPS, ROWS, UNITS = 12, 200, 1000
ROUNDING = 0.0  # of another kernel
random = np.random.RandomState(3)
batches = random.normal(size=(STEPS, ROWS, 8)).astype(np.float32)
batch = tf.placeholder(tf.float32, [ROWS, 8])
kernel = tf.get_variable("kernel", [8, UNITS], initializer=tf.glorot_uniform_initializer(seed=1))
signs = ROUNDING * random.choice([-1, 1], [ROWS, UNITS]).astype(np.float32)
units = tf.nn.relu(tf.matmul(batch, kernel) + signs)
out = tf.get_variable("out", [UNITS, 1], initializer=tf.glorot_uniform_initializer(seed=2))
loss = tf.reduce_mean(tf.square(tf.matmul(units, out) - tf.reduce_sum(batch, 1, keepdims=True)))
step = tf.train.get_or_create_global_step()
rate = tf.where(step < STEPS // 2, 0.01, 0.01)
train_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, step)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for rows in batches:
        session.run(train_op, {batch: rows})
