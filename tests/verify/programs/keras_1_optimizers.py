"""A model for each of some optimizers that TensorFlow 1.x has in tf.contrib.keras.

What is recorded of it on TensorFlow 1.15.5 is stored:

    python all_sessions.py --out keras_1_optimizers_of_tensorflow_1_15.npz keras_1_optimizers.py
"""

import numpy as np
import tensorflow as tf

keras = tf.contrib.keras

rows = np.random.RandomState(1).rand(32, 3).astype("float32")
labels = rows.sum(1, keepdims=True)
for optimizer in (
    lambda: keras.optimizers.SGD(lr=0.1),
    lambda: keras.optimizers.RMSprop(lr=0.01),
    lambda: keras.optimizers.Adadelta(lr=1.0),
    lambda: keras.optimizers.Adam(lr=0.02, amsgrad=True),
    lambda: keras.optimizers.Nadam(lr=0.002),
):
    keras.backend.clear_session()
    model = keras.models.Sequential()
    model.add(keras.layers.Dense(2, activation="tanh", input_shape=(3,)))
    model.add(keras.layers.Dense(1))
    model.compile(optimizer(), loss="mse")
    model.fit(rows, labels, batch_size=16, epochs=2, shuffle=False, verbose=0)
