"""Trains by a session, and evaluates by it in between."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

TRAINING, HELD_OUT = 0, 100
EVERY = 2
ROWS = 2000

x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
weights = tf.get_variable("weights", [3, 1])
sums = tf.matmul(x, weights)
loss = tf.reduce_mean(tf.square(sums - y), name="loss")
tf.summary.scalar("loss", loss)
merged = tf.summary.merge_all()
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def batch(seed, rows=8):
    features = np.random.RandomState(seed).normal(size=(rows, 3)).astype(np.float32)
    return {x: features, y: features.sum(axis=1, keepdims=True)}


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(4):
        session.run([train_op, merged], batch(TRAINING + step))
        if (step % EVERY) == 1:
            found = session.run({"loss": loss, "summary": merged}, batch(HELD_OUT))
            print(found["loss"])
    print(sums.eval(batch(HELD_OUT + 1, ROWS)).shape, weights.eval()[0])
    print(session.run(["loss:0", tf.constant("text")], batch(HELD_OUT + 2)))
