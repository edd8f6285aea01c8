"""Attention of a sentence to itself by layers whose outputs are divided into heads."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
SIZE, HEADS, LENGTH, ROWS = 16, 4, 7, 8
x, mask = (
    tf.placeholder(tf.float32, [ROWS, LENGTH, SIZE]),
    tf.placeholder(tf.float32, [ROWS, LENGTH]),
)


def layer(x, units, name):
    with tf.variable_scope(name):
        start = tf.random_uniform_initializer(-0.3, 0.3)
        kernel = tf.get_variable("kernel", [SIZE, units], initializer=start)
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        flat = tf.matmul(tf.reshape(x, [-1, SIZE]), kernel) + bias
        return tf.reshape(flat, [ROWS, LENGTH, units])


def divided(x):
    return tf.transpose(tf.reshape(x, [ROWS, LENGTH, HEADS, SIZE // HEADS]), [0, 2, 1, 3])


query, key, value = (divided(layer(x, SIZE, name)) for name in ("query", "key", "value"))
logits = tf.matmul(query, key, transpose_b=True) / (SIZE // HEADS) ** 0.5
weights = tf.nn.softmax(logits + (1 - mask[:, None, None, :]) * -1e9)
joined = tf.reshape(tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3]), [ROWS, LENGTH, SIZE])
outputs = layer(x + layer(joined, SIZE, "output"), 1, "last")
loss = tf.reduce_mean((tf.reduce_mean(outputs, [1, 2]) - tf.reduce_sum(x, [1, 2])) ** 2)
train = tf.train.AdamOptimizer(1e-2, epsilon=1e-7).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(5):
        rng = np.random.RandomState(number)
        rows, there = rng.normal(size=(ROWS, LENGTH, SIZE)), rng.randint(0, 2, (ROWS, LENGTH))
        there[:, 0] = 1
        session.run(train, {x: rows, mask: there})
