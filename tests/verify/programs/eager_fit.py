"""A Keras model of TensorFlow 1.x that is trained by ``fit`` eagerly, by an optimizer of tf.train.

What is recorded of it on TensorFlow 1.15.5 is stored:

    python all_sessions.py --out eager_fit_of_tensorflow_1_15.npz eager_fit.py
"""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
layers = tf.keras.layers
model = tf.keras.Sequential(
    [layers.Dense(6, activation="relu", input_shape=(4,)), layers.Dropout(0.3), layers.Dense(1)]
)
model.compile(optimizer=tf.train.AdamOptimizer(0.01), loss="mse", metrics=["mean_absolute_error"])
rows = np.random.RandomState(0).normal(size=(64, 4)).astype(np.float32)
sums = rows.sum(1)
model.fit(rows, sums, 16, 3, verbose=0, shuffle=False, validation_data=(rows[:20], sums[:20]))
print(model.evaluate(rows[20:], sums[20:], verbose=0))
