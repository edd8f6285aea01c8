"""Two models of tf.keras 1.x that share an optimizer: each has slots, both count its steps."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
from tensorflow.keras import layers, models, optimizers

rng = np.random.RandomState(0)
rows = rng.randn(40, 6).astype("float32")

shared = optimizers.Adam(0.01)
first = models.Sequential(
    [layers.Dense(3, activation="tanh", input_shape=(6,)), layers.BatchNormalization()]
)
first.compile(loss="mse", optimizer=shared)
second = models.Sequential([layers.Dense(2, input_shape=(6,), name="second")])
second.compile(loss="mse", optimizer=shared)
for _ in range(4):
    batch = rows[rng.randint(0, 40, 10)]
    first.train_on_batch(batch, batch[:, :3] ** 2)
    second.train_on_batch(batch, batch[:, 4:] ** 2)
