"""Tasks of TensorFlow 1.15 that share a layer: in turn and together, each with its optimizer."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
x = tf.placeholder(tf.float32, (8, 3))
with tf.variable_scope("trunk"):
    kernel = tf.get_variable("kernel", initializer=tf.constant(rng.randn(3, 4).astype("f")))
hidden = tf.tanh(tf.matmul(x, kernel))
losses, steps = [], []
for rate, task in ((0.01, "age"), (0.02, "clicks")):
    with tf.variable_scope(task + "/out"):
        start = tf.constant(rng.randn(4, 1).astype("f"))
        error = tf.matmul(hidden, tf.get_variable("kernel", initializer=start)) - 1.0
    losses.append(tf.reduce_mean(tf.square(error)))
    optimizer = tf.train.AdamOptimizer(rate, name="Adam_of_" + task)
    steps.append(optimizer.minimize(losses[-1]))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in (0, 1, 1, 0, 0):
        session.run(steps[number], {x: rng.randn(8, 3)})
