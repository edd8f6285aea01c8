"""Fits and validates a Keras model of two outputs; the last batch of validations has fewer rows."""

import numpy as np
import tensorflow as tf

keras = tf.keras

rng = np.random.RandomState(0)
x = rng.normal(size=(44, 3)).astype(np.float32)
inputs = keras.layers.Input((3,))
hidden = keras.layers.Dense(4, activation="tanh", name="hidden")(inputs)
outputs = [keras.layers.Dense(1, name=name)(hidden) for name in ("first", "second")]
model = keras.models.Model(inputs, outputs)
model.compile(keras.optimizers.SGD(0.05), loss=["mse", "mse"], loss_weights=[1.0, 0.5])
y = [np.sin(x[:, :1]), 2 * x[:, 1:2]]
validation = x[32:], [each[32:] for each in y]
model.fit(
    x[:32],
    [each[:32] for each in y],
    batch_size=8,
    epochs=2,
    validation_data=validation,
    verbose=0,
)
print(model.evaluate(*validation, batch_size=8, verbose=0))
