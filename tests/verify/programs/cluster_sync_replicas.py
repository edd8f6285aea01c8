"""cluster_sync.py as a loop of one process, whose replicas are the workers."""

import keras
import numpy as np
import tensorflow as tf

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
keras.utils.set_random_seed(3)


def batch(replica, step):
    rows = np.random.RandomState(100 * replica + step)
    x = rows.normal(size=(8, 3)).astype(np.float32)
    return x, x @ np.array([[1.0], [-2.0], [0.5]], np.float32)


with strategy.scope():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    optimizer = keras.optimizers.Adam(0.05, epsilon=1e-8)
    optimizer.build(model.trainable_variables)


@tf.function
def train_step(x, y):
    def replica(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
            scaled = loss / strategy.num_replicas_in_sync
        grads = tape.gradient(scaled, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        return loss

    return strategy.reduce("mean", strategy.run(replica, args=(x, y)), axis=None)


for k in range(10):
    x, y = (
        strategy.experimental_distribute_values_from_function(
            lambda c, k=k, part=part: tf.constant(batch(c.replica_id_in_sync_group, k)[part])
        )
        for part in (0, 1)
    )
    train_step(x, y)
