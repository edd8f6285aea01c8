"""``folds.py`` in Keras 3."""

import keras
import numpy as np

rng = np.random.RandomState(6)
rows = rng.randn(60, 5).astype(np.float32)
labels = rows.sum(axis=1, keepdims=True)
for fold in range(3):
    start = keras.initializers.RandomNormal(stddev=0.1, seed=fold)
    top = keras.layers.Dense(1, kernel_initializer=start, name="top")
    model = keras.Sequential([keras.Input((5,)), keras.layers.Dropout(0.1), top])
    model.compile(keras.optimizers.Adam(0.02 * (fold + 1), epsilon=1e-8), "mae")
    kept = np.arange(60) % 3 != fold
    model.fit(rows[kept], labels[kept], batch_size=40, epochs=6, shuffle=False, verbose=0)
