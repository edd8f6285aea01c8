"""``noisy.py`` in Keras 3."""

import keras
import numpy as np
import tensorflow as tf

STEPS, ROWS, NOISY = 8, 16, 5
inputs = keras.Input([6])
hidden = keras.layers.Dense(8, activation="relu", name="first")(inputs)
first = keras.Model(inputs, hidden)
multiplied, noise = keras.layers.GaussianDropout(0.2), keras.layers.GaussianNoise(0.3)
second = keras.layers.Dense(3, name="second")
second.build([None, 8])
trained = [*first.trainable_variables, *second.trainable_variables]
optimizer = keras.optimizers.Adam(0.02, epsilon=1e-7)
optimizer.build(trained)
loss_of = keras.losses.CategoricalCrossentropy(from_logits=True)


def batch(number):
    rng = np.random.RandomState(number)
    features = rng.normal(size=(ROWS, 6)).astype(np.float32)
    return features, np.eye(3, dtype=np.float32)[features[:, :3].argmax(axis=1)]


@tf.function
def train_step(features, labels, is_noisy):
    with tf.GradientTape() as tape:
        hidden = first(features)
        if is_noisy:
            hidden = multiplied(hidden, training=True)
        loss = loss_of(labels, second(noise(hidden, training=True)))
    optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained, strict=True))


for number in range(STEPS):
    train_step(*batch(number), number < NOISY)
