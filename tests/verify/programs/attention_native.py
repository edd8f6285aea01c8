"""attention.py with Keras' MultiHeadAttention, whose kernels have an axis of heads."""

import numpy as np
import tensorflow as tf
from keras import initializers, layers, optimizers

SIZE, HEADS, LENGTH, ROWS = 16, 4, 7, 8
start = initializers.RandomUniform(-0.3, 0.3)
attention = layers.MultiHeadAttention(HEADS, SIZE // HEADS, kernel_initializer=start)
last = layers.Dense(1, kernel_initializer=start)
attention.build((ROWS, LENGTH, SIZE), (ROWS, LENGTH, SIZE))
last.build((ROWS, LENGTH, SIZE))
variables = attention.trainable_variables + last.trainable_variables
optimizer = optimizers.Adam(1e-2)
optimizer.build(variables)


@tf.function
def train(x, mask):
    with tf.GradientTape() as tape:
        outputs = last(x + attention(x, x, attention_mask=mask[:, None, :]))
        wanted = tf.reduce_sum(x, [1, 2])
        loss = tf.reduce_mean((tf.reduce_mean(outputs, [1, 2]) - wanted) ** 2)
    optimizer.apply(tape.gradient(loss, variables), variables)


for number in range(5):
    rng = np.random.RandomState(number)
    rows, there = rng.normal(size=(ROWS, LENGTH, SIZE)), rng.randint(0, 2, (ROWS, LENGTH))
    there[:, 0] = 1
    train(tf.constant(rows, tf.float32), tf.constant(there, tf.bool))
