"""``keras_shared.py`` in Keras 3, which trains what an optimizer was built with."""

import numpy as np
from keras import layers, models, optimizers

rng = np.random.RandomState(0)
rows = rng.randn(40, 6).astype("float32")

shared = optimizers.Adam(0.01)
first = models.Sequential(
    [layers.Input((6,)), layers.Dense(3, activation="tanh"), layers.BatchNormalization()]
)
first.compile(loss="mse", optimizer=shared)
second = models.Sequential([layers.Input((6,)), layers.Dense(2, name="second")])
second.compile(loss="mse", optimizer=shared)
shared.build(first.variables + second.variables)
for _ in range(4):
    batch = rows[rng.randint(0, 40, 10)]
    first.train_on_batch(batch, batch[:, :3] ** 2)
    second.train_on_batch(batch, batch[:, 4:] ** 2)
