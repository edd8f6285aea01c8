"""``skipping.py`` in Keras 3, which calls its optimizer in an ``if``."""

import keras
import numpy as np
import tensorflow as tf

STEPS = 8
inputs = keras.Input([6])
h = keras.layers.Dense(8, activation="tanh", name="hidden")(inputs)
h = keras.layers.BatchNormalization(momentum=0.8, name="norm")(h)
model = keras.Model(inputs, keras.layers.Dense(1, name="out")(h))
opt = keras.optimizers.SGD(0.05, momentum=0.9)
opt.build(model.trainable_variables)


@tf.function
def train(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
    gradients = tape.gradient(loss, model.trainable_variables)
    if tf.linalg.global_norm(gradients) < 9.0:
        opt.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


for number in range(STEPS):
    rng = np.random.RandomState(number)
    bx = rng.normal(size=(8, 6))
    by = (9 if number % 3 == 1 else 1) * np.sin(bx[:, :1])
    train(tf.constant(bx, tf.float32), tf.constant(by, tf.float32))
