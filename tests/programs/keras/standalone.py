"""Models of standalone Keras 2, each trained by an optimizer with its default arguments."""

import json

import keras_parts
import numpy as np
import tensorflow as tf
from keras import backend, optimizers
from keras.models import Model


def losses_of(optimizer):
    backend.clear_session()
    backend.set_session(tf.Session(config=tf.ConfigProto(allow_soft_placement=True)))
    inputs, outputs = keras_parts.build()
    model = Model(inputs, outputs)
    model.compile(loss="mse", optimizer=optimizer(), metrics=["accuracy"])
    x = np.cos(np.arange(8 * 5 * 3)).reshape(8, 5, 3) / 4
    y = np.sin(np.arange(8)).reshape(8, 1)
    history = model.fit(x, y, batch_size=4, epochs=5, shuffle=False, verbose=0)
    assert sorted(history.history) == ["acc", "loss"]
    return [float(loss) for loss in history.history["loss"]]


def main():
    backend.set_floatx("float64")
    results = losses_of(lambda: optimizers.Adadelta())
    results += losses_of(lambda: optimizers.Adagrad())
    results += losses_of(lambda: optimizers.SGD(lr=0.5, clipnorm=0.1))
    print("RESULT " + json.dumps(results))


if __name__ == "__main__":
    main()
