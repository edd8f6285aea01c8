"""``dropped.py`` in Keras 3, in one of several ways to train."""

import sys

import keras
import numpy as np
import tensorflow as tf

WAY = sys.argv[1] if len(sys.argv) > 1 else "fit"
STEPS, ROWS, DROPPED = 10, 16, 0.25


def batch(number, rows=ROWS):
    rng = np.random.RandomState(number)
    features = rng.normal(size=(rows, 6)).astype(np.float32)
    return features, np.eye(3, dtype=np.float32)[features[:, :3].argmax(axis=1)]


class SumOfSquares(keras.regularizers.Regularizer):
    def __call__(self, value):
        return 1e-2 * tf.reduce_sum(tf.square(value))


def dense(units, name):
    return keras.layers.Dense(units, name=name, kernel_regularizer=SumOfSquares())


model = keras.Sequential(
    [
        keras.Input([6]),
        dense(8, "first"),
        keras.layers.BatchNormalization(momentum=0.9, epsilon=1e-3, name="norm"),
        keras.layers.ReLU(),
        keras.layers.Dropout(DROPPED),
        dense(3, "second"),
    ]
)
rate = keras.optimizers.schedules.ExponentialDecay(0.02, 4, 0.5, staircase=True)
optimizer = keras.optimizers.Adam(rate, epsilon=1e-7, global_clipnorm=0.8)
loss_of = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)


def train_step(features, labels):
    with tf.GradientTape() as tape:
        loss = loss_of(labels, model(features, training=True)) + tf.add_n(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))


if WAY == "fit":
    model.compile(optimizer, loss_of, metrics=["accuracy"], steps_per_execution=4)
    parts = (np.concatenate(each) for each in zip(*map(batch, range(STEPS)), strict=True))
    model.fit(tf.data.Dataset.from_tensor_slices(tuple(parts)).batch(ROWS), verbose=0)
else:
    if WAY != "not built":
        optimizer.build(model.trainable_variables)
    step = tf.function(train_step) if WAY == "function" else train_step
    for number in range(STEPS):
        step(*batch(number))
