"""The fixture replicate_model_fn/dense_adam in Keras 3: validation between two epochs."""

import argparse

import keras
import numpy as np
import tensorflow as tf

BATCH, UNITS = 32, 10


def readings(count, seed):
    rng = np.random.RandomState(seed)
    values = rng.normal(size=(count, 8)).astype(np.float32)
    vibration = values[:, 0] + values[:, 1] - 0.5 * values[:, 2]
    heat = values[:, 3] * values[:, 4]
    states = np.where(vibration > 0.8, 2, np.where(heat > 0.1, 1, 0)).astype(np.int32)
    return tf.data.Dataset.from_tensor_slices((values, states))


parser = argparse.ArgumentParser()
parser.add_argument("--model_dir")
parser.add_argument("--train_steps", type=int)
options = parser.parse_args()
strategy = tf.distribute.MirroredStrategy(
    ["CPU:0", "CPU:1"], cross_device_ops=tf.distribute.ReductionToOneDevice()
)
with strategy.scope():
    model = keras.Sequential(
        [
            keras.Input([8]),
            keras.layers.Dense(UNITS, activation="relu", name="first"),
            keras.layers.Dense(3, name="second"),
        ]
    )
    model.compile(
        optimizer=keras.optimizers.Adam(0.01, epsilon=1e-8),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.optimizer.build(model.trainable_variables)
for _ in range(2):
    # Each call reads the data from their beginning, as each train of the original does.
    model.fit(
        readings(1024, 1).repeat().batch(BATCH),
        steps_per_epoch=options.train_steps // 2,
        validation_data=readings(256, 2).batch(BATCH),
        verbose=0,
    )
