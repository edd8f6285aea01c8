"""Its port to Keras 3, by somebody who made three mistakes."""

import keras
import numpy as np
import tensorflow as tf

RANDOM = np.random.RandomState(0)
DATA = RANDOM.rand(64, 4).astype(np.float32)
LABELS = DATA.sum(axis=1, keepdims=True)

model = keras.Sequential(
    [
        keras.Input((4,)),
        keras.layers.Dense(8, "tanh", kernel_initializer="he_normal", name="hidden"),
        keras.layers.Dense(1, name="output"),
    ]
)
optimizer = keras.optimizers.SGD(0.01, momentum=0.9, nesterov=True)


@tf.function
def train(x, y):
    """Makes a step."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


for number in range(40):
    rows = slice(16 * (number % 4), 16 * (number % 4) + 16)
    train(tf.constant(DATA[rows]), tf.constant(LABELS[rows]))
