"""The same in eager code, which no session and no metric evaluates."""

import time

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
data = rng.randn(32, 3).astype("f")
held_out = rng.randn(2, 20, 3).astype("f")
kernel = tf.Variable(rng.randn(3, 1).astype("f"), name="kernel")


def evaluate(rows):
    outputs = tf.tanh(rows @ kernel)
    loss = tf.reduce_mean(tf.square(outputs - 0.5))
    return loss, tf.reduce_mean(tf.cast(outputs > 0.0, tf.float32))


for epoch in range(3):
    start = time.time()
    for number in range(4):
        with tf.GradientTape() as tape:
            loss, _ = evaluate(data[8 * number : 8 * number + 8])
            total = loss + 0.01 * tf.nn.l2_loss(kernel)
        kernel.assign_sub(0.5 * tape.gradient(total, kernel))
    errors, shares = zip(*[evaluate(rows) for rows in held_out], strict=True)
    print(f"epoch {epoch + 1}: training loss {total:.4f}, {10 + time.time() - start:.2f} s")
    print(f"validation loss {np.mean(errors):.5f}, positive {100 * np.mean(shares):.2f}%")
