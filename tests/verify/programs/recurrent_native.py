"""``recurrent.py`` in layers of Keras 3: other shapes, another order of gates."""

import keras
import numpy as np
import tensorflow as tf

SIZE, GATED, UNITS, LENGTH, STEPS = 3, 5, 4, 5, 8


def uniform(seed, limit=0.5):
    return keras.initializers.RandomUniform(-limit, limit, seed)


def recurrent(seed, limit=0.5):
    kernel, state = uniform(seed, limit), uniform(seed + 1, limit)
    return {"kernel_initializer": kernel, "recurrent_initializer": state}


def open_gates(shape, dtype=None):
    units = shape[0] // 3
    return keras.ops.concatenate([keras.ops.ones(2 * units, dtype), keras.ops.zeros(units, dtype)])


gated = {"bias_initializer": open_gates, "reset_after": False}
model = keras.Sequential(
    [
        keras.Input((LENGTH, SIZE)),
        # That of tf.get_variable, over the input and the state.
        keras.layers.SimpleRNN(SIZE, return_sequences=True, **recurrent(1, (6 / 9) ** 0.5)),
        keras.layers.GRU(GATED, return_sequences=True, **recurrent(7), **gated),
        keras.layers.LSTM(UNITS, **recurrent(3)),
        keras.layers.Dense(2, use_bias=False, kernel_initializer=uniform(5)),
    ]
)
optimizer = keras.optimizers.Adam(0.05, epsilon=1e-8)
optimizer.build(model.trainable_variables)


@tf.function
def train_step(features, labels):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(features, training=True) - labels))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply(gradients, model.trainable_variables)


rng = np.random.RandomState(0)
for _ in range(STEPS):
    features = rng.normal(size=(8, LENGTH, SIZE)).astype(np.float32)
    train_step(features, features.sum(axis=1)[:, :2])
