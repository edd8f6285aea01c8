"""Keras, where it stood before TensorFlow 1.4."""

import numpy as np
import tensorflow as tf

keras = tf.contrib.keras
K = tf.contrib.keras.backend

result = {}


def main(_):
    x = tf.placeholder(tf.float32, [None, 2])
    model = keras.models.Sequential()
    model.add(
        keras.layers.Dense(
            3, input_dim=2, activation="relu", kernel_initializer="ones", bias_initializer="zeros"
        )
    )
    model.add(keras.layers.Dense(1, kernel_initializer=keras.initializers.Constant(0.5)))
    model.compile(loss="mse", optimizer=keras.optimizers.SGD(lr=0.1))
    values = np.array([[0.1, 0.2], [0.4, 0.8]], np.float32)
    result["loss"] = model.train_on_batch(values, np.ones([2, 1], np.float32))
    result["prediction"] = model.predict_on_batch(values)
    result["called"] = K.get_session().run(model(x), {x: values})
    result["epsilon"] = K.epsilon()


if __name__ == "__main__":
    try:
        tf.app.run()
    except SystemExit:
        result["ended"] = True
