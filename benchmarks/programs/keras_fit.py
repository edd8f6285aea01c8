"""The same model rewritten by hand for Keras 3: fit under MirroredStrategy."""

import sys

import keras
import tensorflow as tf
from benchmark_data import BATCH, CLASSES, SHAPES, Clock, rows

MODEL, STEPS = sys.argv[1], int(sys.argv[2])
WARM_UP = 100


def network():
    if MODEL == "dense":
        hidden = [keras.layers.Dense(64, activation="relu")]
    else:
        hidden = [
            keras.layers.Conv2D(8, 3, padding="same", use_bias=False),
            keras.layers.BatchNormalization(momentum=0.9),
            keras.layers.ReLU(),
            keras.layers.MaxPooling2D(2, 2),
            keras.layers.Flatten(),
        ]
    layers = [keras.Input(SHAPES[MODEL]), *hidden, keras.layers.Dense(CLASSES)]
    return keras.Sequential(layers)


def main():
    cpu = tf.config.list_physical_devices("CPU")[0]
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(cpu, two)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        model = network()
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.Adam(0.01), loss)
    data = tf.data.Dataset.from_tensor_slices(rows(MODEL))
    data = data.repeat().batch(BATCH, drop_remainder=True).prefetch(8)
    model.fit(data, epochs=1, steps_per_epoch=WARM_UP, verbose=0)
    clock = Clock()
    clock.start()
    model.fit(data, epochs=1, steps_per_epoch=STEPS, verbose=0)
    clock.print_rate(STEPS)


if __name__ == "__main__":
    main()
