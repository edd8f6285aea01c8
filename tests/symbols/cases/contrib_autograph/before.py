"""AutoGraph, which moved into the core."""

import tensorflow as tf
from tensorflow.contrib import autograph


def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


n = tf.placeholder(tf.int32, [])
steps = autograph.to_graph(collatz)(n)
with tf.Session() as session:
    result = {str(value): session.run(steps, {n: value}) for value in (1, 6, 27)}
