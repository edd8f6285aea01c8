"""``multi_gpu_model`` of tf.keras: the batch is divided among GPUs, the last one has the rest.

What is recorded of it on TensorFlow 1.15.5 is stored:

    python all_sessions.py --replicas 2 --out multi_gpu_of_tensorflow_1_15.npz multi_gpu.py
"""

import numpy as np
import tensorflow as tf
from tensorflow.keras.utils import multi_gpu_model

layers = tf.keras.layers
rows = np.random.RandomState(1).rand(60, 6).astype("float32")
labels = (rows[:, :3].sum(1) > 1.5).astype("int64")
with tf.device("/cpu:0"):
    inputs, others = layers.Input((6,)), layers.Input((6,))
    hidden = layers.Dense(8, activation="tanh")(layers.concatenate([inputs, others]))
    scores = layers.Dense(2, activation="softmax", name="scores")(layers.Dropout(0.2)(hidden))
    model = tf.keras.Model([inputs, others], [scores, layers.Dense(1, name="sums")(hidden)])
parallel = multi_gpu_model(model, gpus=2)
parallel.compile("sgd", ["sparse_categorical_crossentropy", "mse"], loss_weights=[1.0, 0.5])
parallel.fit(
    [rows, rows * 2.0], [labels, rows.sum(1)], batch_size=15, epochs=2, shuffle=False, verbose=0
)
parallel.evaluate([rows, rows * 2.0], [labels, rows.sum(1)], verbose=0)
