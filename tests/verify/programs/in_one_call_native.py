"""``in_one_call.py``, with dropout, by ``fit`` of Keras 3."""

import sys

import keras
import numpy as np
import tensorflow as tf

rows = np.random.RandomState(1).normal(size=(48, 3)).astype(np.float32)
data = tf.data.Dataset.from_tensor_slices((rows, rows[:, :1])).repeat().batch(8).take(12)
model = keras.Sequential(
    [keras.Input([3]), keras.layers.Dropout(float(sys.argv[2])), keras.layers.Dense(1)]
)
model.compile(keras.optimizers.Adam(0.05, epsilon=1e-8), "mse")
model.fit(data, verbose=0)
