"""inline_updates.py with models of Keras and a GradientTape."""

import numpy as np
import tensorflow as tf
from keras import Input, Sequential, layers, optimizers

ROWS, MOMENTUM = 12, 0.9
generator = Sequential([Input([3]), layers.Dense(4, use_bias=False)], name="generator")
discriminator = Sequential(
    [
        Input([4]),
        layers.Dense(6, use_bias=False),
        layers.BatchNormalization(momentum=MOMENTUM, scale=False),
        layers.ReLU(),
        layers.Dense(1, use_bias=False),
    ],
    name="discriminator",
)
of_discriminator, of_generator = optimizers.SGD(0.1), optimizers.SGD(0.1)
of_discriminator.build(discriminator.trainable_variables)
of_generator.build(generator.trainable_variables)


def cross_entropy(logits, label):
    labels = label * tf.ones_like(logits)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


@tf.function
def train_discriminator(real, z):
    made = generator(z)
    with tf.GradientTape() as tape:
        of_real = discriminator(real, training=True)
        of_made = discriminator(made, training=True)
        loss = cross_entropy(of_real, 1.0) + cross_entropy(of_made, 0.0)
    variables = discriminator.trainable_variables
    of_discriminator.apply(tape.gradient(loss, variables), variables)


@tf.function
def train_generator(z):
    with tf.GradientTape() as tape:
        loss = cross_entropy(discriminator(generator(z), training=True), 1.0)
    variables = generator.trainable_variables
    of_generator.apply(tape.gradient(loss, variables), variables)


for number in range(5):
    rng = np.random.RandomState(number)
    real, z = np.float32(rng.normal(size=(ROWS, 4)) + 1), np.float32(rng.normal(size=(ROWS, 3)))
    train_discriminator(real, z)
    train_generator(z)
