"""``penalized.py`` with two tapes, and one estimate of the norm."""

import keras
import numpy as np
import tensorflow as tf

w = tf.Variable(keras.initializers.GlorotUniform()([3, 2]), name="w")
b = tf.Variable(tf.zeros([2]), name="b")
u = tf.Variable(tf.ones([1, 2]), name="u", trainable=False)
optimizer = keras.optimizers.SGD(0.05)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            v = tf.nn.l2_normalize(tf.matmul(u, w, transpose_b=True))
            following = tf.nn.l2_normalize(tf.matmul(v, w))
            norm = tf.reduce_sum(tf.stop_gradient(v) @ w * tf.stop_gradient(following))
            both = tf.concat([x, x + 1.0], 0) @ (w / norm) + b
            error = tf.reduce_mean((both[:8] - y) ** 2) + tf.reduce_mean(both[8:] ** 2)
        loss = error + 0.1 * tf.linalg.global_norm(inner.gradient(error, [w, b]))
    optimizer.apply_gradients(zip(outer.gradient(loss, [w, b]), [w, b], strict=True))
    u.assign(following)


for step in range(5):
    rows = np.random.RandomState(step).normal(size=(8, 5)).astype(np.float32)
    train_step(rows[:, :3], rows[:, 3:])
