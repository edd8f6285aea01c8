"""adversarial.py with models of Keras, a GradientTape and two optimizers."""

import sys

import numpy as np
import tensorflow as tf
from keras import Input, Sequential, layers, optimizers

ROWS, SMOOTH = 12, 0.9
generator = Sequential([Input([3]), layers.Dense(8, "relu"), layers.Dense(4)], name="generator")
critic = Sequential(
    [
        Input([4]),
        layers.Dense(6, layers.LeakyReLU(negative_slope=0.2)),
        layers.Dropout(0.2),
        layers.Dense(1),
    ],
    name="critic",
)
of_critic = optimizers.Adam(2e-3, 0.5, epsilon=1e-7)
of_generator = optimizers.RMSprop(1e-3, rho=0.9, epsilon=1e-7)
if "built" in sys.argv:
    of_critic.build(critic.trainable_variables)
of_generator.build(generator.trainable_variables)
for mean_square in of_generator._velocities:
    mean_square.assign(tf.ones_like(mean_square))


def cross_entropy(logits, label):
    labels = label * tf.ones_like(logits)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


def train_critic(real, z):
    fake = generator(z)
    with tf.GradientTape() as tape:
        of_fake, of_real = critic(fake, training=True), critic(real, training=True)
        loss = cross_entropy(of_real, SMOOTH) + cross_entropy(of_fake, 0.0)
    of_critic.apply(tape.gradient(loss, critic.trainable_variables), critic.trainable_variables)


def train_generator(z):
    with tf.GradientTape() as tape:
        loss = cross_entropy(critic(generator(z), training=True), 1.0)
    variables = generator.trainable_variables
    of_generator.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))


@tf.function
def train(real, z):
    train_critic(real, z)
    train_generator(z)


@tf.function
def train_together(real, z):
    with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
        of_fake, of_real = critic(generator(z), training=True), critic(real, training=True)
        d_loss = cross_entropy(of_real, SMOOTH) + cross_entropy(of_fake, 0.0)
        g_loss = cross_entropy(of_fake, 1.0)
    of_both = [(of_critic, critic, d_tape, d_loss), (of_generator, generator, g_tape, g_loss)]
    gradients = [tape.gradient(loss, m.trainable_variables) for _, m, tape, loss in of_both]
    for (optimizer, model, _, _), its_gradients in zip(of_both, gradients, strict=True):
        optimizer.apply(its_gradients, model.trainable_variables)


if "functions" in sys.argv:
    train_critic, train_generator = tf.function(train_critic), tf.function(train_generator)
for number in range(6):
    rng = np.random.RandomState(number)
    real, z = np.float32(rng.normal(size=(ROWS, 4)) + 1), np.float32(rng.normal(size=(ROWS, 3)))
    if "together" in sys.argv:
        train_together(real, z)
    elif "one" in sys.argv:
        train(real, z)
    else:
        train_critic(real, z)
        train_generator(z)
