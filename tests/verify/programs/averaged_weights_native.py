"""The program of averaged_weights.py, ported manually."""

import keras
import numpy as np
import tensorflow as tf

rows = np.random.RandomState(0).rand(32, 3).astype("float32")
weights = tf.Variable(keras.initializers.GlorotUniform()((3, 1)), name="weights")
optimizer = keras.optimizers.Adam(0.01, epsilon=1e-8)
optimizer.build([weights])
average = tf.train.ExponentialMovingAverage(0.9)


@tf.function
def train(x: tf.Tensor) -> tf.Tensor:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - 1.0))
    optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
    average.apply([weights])
    return loss


for number in range(8):
    train(tf.constant(rows[4 * number : 4 * number + 4]))
