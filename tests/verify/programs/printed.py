"""A loop of TensorFlow 1.15 that prints its evaluations, the time, and the loss of training."""

import time

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
data = rng.randn(32, 3).astype("f")
held_out = rng.randn(2, 20, 3).astype("f")
x = tf.placeholder(tf.float32, (None, 3))
kernel = tf.get_variable("kernel", initializer=tf.constant(rng.randn(3, 1).astype("f")))
outputs = tf.tanh(tf.matmul(x, kernel))
loss = tf.reduce_mean(tf.square(outputs - 0.5))
positive = tf.reduce_mean(tf.cast(outputs > 0.0, tf.float32))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss + 0.01 * tf.nn.l2_loss(kernel))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for epoch in range(3):
        start = time.time()
        for number in range(4):
            part = data[8 * number : 8 * number + 8]
            _, of_step = session.run([train, loss], {x: part})
        runs = [session.run([loss, positive], {x: rows}) for rows in held_out]
        error, share = np.mean(runs, axis=0)
        seconds = time.time() - start
        print(f"epoch {epoch + 1}: training loss {of_step:.4f}, {seconds:.2f} s")
        print(f"validation loss {error:.5f}, positive {100 * share:.2f}%")
