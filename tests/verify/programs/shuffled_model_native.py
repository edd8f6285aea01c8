"""The program shuffled_model.py in Keras 3, with a Dataset in place of the queue."""

import keras
import numpy as np
import tensorflow as tf

rows = np.random.RandomState(0).rand(60, 4).astype("float32")
labels = rows.sum(1, keepdims=True)
data = tf.data.Dataset.from_tensor_slices((rows, labels)).shuffle(1000).repeat(3).batch(16)
model = keras.Sequential([keras.Input([4]), keras.layers.Dense(1, name="dense")])
model.compile(keras.optimizers.SGD(0.1), "mse")
model.fit(data, verbose=0)
