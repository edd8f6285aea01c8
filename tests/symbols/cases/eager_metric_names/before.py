"""Metrics of models that train eagerly, under the names that history and callbacks read."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()

result = {}
inputs = np.linspace(0.1, 0.9, 12).reshape(4, 3).astype("float32")
labels = np.array([[0.2, 0.8], [0.9, 0.1], [0.4, 0.6], [0.3, 0.7]], np.float32)


class Names(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        result["logs"] = sorted(logs)


def built():
    layer = tf.keras.layers.Dense(
        2, activation="softmax", name="out", kernel_initializer=tf.keras.initializers.Constant(0.3)
    )
    return tf.keras.Sequential([tf.keras.layers.InputLayer(input_shape=(3,)), layer])


def fitted(model, **more):
    history = model.fit(inputs, labels, batch_size=4, verbose=0, shuffle=False, **more).history
    return sorted(history), [values[-1] for _, values in sorted(history.items())]


model = built()
model.compile("sgd", "categorical_crossentropy", metrics=["accuracy", "mae", 'mse'])
best = tf.keras.callbacks.EarlyStopping(monitor="val_acc", patience=0)
settings = dict(validation_data=(inputs, labels), callbacks=[best, Names()], epochs=3)
result["first"], result["first_values"] = fitted(model, **settings)
result["epochs"] = len(model.history.epoch)

model = built()
model.compile("sgd", "mse", ["MAE", "MSE", "mape", "msle"])
result["second"], result["second_values"] = fitted(model)

model = built()
model.compile("sgd", "mse", metrics={"out": ["crossentropy", "cosine_similarity", "acc", "hinge"]})
result["of_outputs"], result["of_outputs_values"] = fitted(model)

model = built()
model.compile("sgd", "mse", metrics=["MAPE", "MSLE", "AUC", "binary_accuracy"])
result["upper"], result["upper_values"] = fitted(model)
