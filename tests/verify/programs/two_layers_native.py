"""``two_layers.py`` in Keras 3, in one of several ways to train."""

import sys

import keras
import numpy as np
import tensorflow as tf

WAY = sys.argv[1] if len(sys.argv) > 1 else "fit"
STEPS, RATE, BATCH = 8, 0.1, 8


def batch(number):
    features = np.random.RandomState(number).normal(size=(8, 3)).astype(np.float32)[:BATCH]
    return features, features.sum(axis=1, keepdims=True)


def dense(units, activation, name):
    return keras.layers.Dense(units, activation, name=name)


class OwnStep(keras.Sequential):
    def train_step(self, data):
        features, labels = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(features, training=True) - labels))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        return {"loss": loss}


layers = [dense(4, "tanh", "first"), dense(4, "tanh", "second"), dense(1, None, "top")]
kind = OwnStep if WAY == "own step" else keras.Sequential
model = kind(layers)
optimizer = keras.optimizers.SGD(RATE, momentum=0.9)
dataset = tf.data.Dataset.from_tensor_slices(batch(0)).batch(8)
for n in range(1, STEPS):
    dataset = dataset.concatenate(tf.data.Dataset.from_tensor_slices(batch(n)).batch(8))


def gradients_of(features, labels):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(features) - labels))
    return tape.gradient(loss, model.trainable_variables)


def train_step(features, labels):
    optimizer.apply_gradients(
        zip(gradients_of(features, labels), model.trainable_variables, strict=True)
    )


def build():
    model.build([None, 3])
    optimizer.build(model.trainable_variables)


def train():
    if WAY in ("fit", "own step"):
        model.compile(optimizer, "mse", steps_per_execution=3)
        model.fit(dataset, verbose=0)
    elif WAY == "run eagerly":
        build()
        model.compile(optimizer, "mse", run_eagerly=True)
        model.fit(dataset, verbose=0)
    elif WAY == "resumed":  # by another model, from a checkpoint
        build()
        model.compile(optimizer, "mse")
        model.fit(dataset.take(5), verbose=0)
        model.save_weights(sys.argv[2])
        other = keras.models.clone_model(model)
        other.compile(keras.optimizers.SGD(RATE, momentum=0.9), "mse")
        other.optimizer.build(other.trainable_variables)
        other.load_weights(sys.argv[2])
        other.fit(dataset.skip(5), verbose=0)
    elif WAY == "on batch":
        model.compile(optimizer, "mse", jit_compile=True)
        for number in range(STEPS):
            model.train_on_batch(*batch(number))
    elif WAY == "function":
        in_function = tf.function(train_step)
        for number in range(STEPS):
            in_function(*batch(number))
    elif WAY == "loop in a function":

        @tf.function
        def loop(batches):
            for features, labels in batches:
                train_step(features, labels)

        build()
        loop(dataset)
    elif WAY in ("eager", "eager, not built"):
        if WAY == "eager":
            build()
        for number in range(STEPS):
            train_step(*batch(number))
    elif WAY == "two functions":
        build()
        in_function = tf.function(gradients_of)
        for number in range(STEPS):
            gradients = in_function(*batch(number))
            optimizer.apply(gradients, model.trainable_variables)
    elif WAY == "two optimizers":
        build()
        other = keras.optimizers.SGD(RATE)
        for number in range(STEPS):
            train_step(*batch(number))
            gradients = gradients_of(*batch(number))
            other.apply(gradients[:2], model.trainable_variables[:2])


train()
