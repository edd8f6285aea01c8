"""The fixture towers/split_global_batch as a loop with a GradientTape, on two replicas."""

import keras
import numpy as np
import tensorflow as tf

BATCH, STEPS = 32, 25

rng = np.random.RandomState(1)
weights = rng.randn(10, 1)
strategy = tf.distribute.MirroredStrategy(
    ["CPU:0", "CPU:1"], cross_device_ops=tf.distribute.ReductionToOneDevice()
)
replicas = strategy.num_replicas_in_sync


def normal(seed):
    return keras.initializers.RandomNormal(stddev=0.2, seed=seed)


with strategy.scope():
    network = keras.Sequential(
        [
            keras.layers.Dense(
                16,
                activation="elu",
                name="hidden",
                kernel_initializer=normal(1),
                kernel_regularizer=keras.regularizers.L2(0.005),
            ),
            keras.layers.Dense(1, name="output", kernel_initializer=normal(2)),
        ]
    )
    optimizer = keras.optimizers.Adam(0.02, epsilon=1e-8)


def step_on_replica(x, y):
    with tf.GradientTape() as tape:
        error = tf.reduce_mean(tf.square(network(x) - y))
        loss = (error + tf.add_n(network.losses)) / replicas
    gradients = tape.gradient(loss, network.trainable_variables)
    optimizer.apply_gradients(zip(gradients, network.trainable_variables, strict=True))
    return loss


@tf.function
def train_step(x, y):
    losses = strategy.run(step_on_replica, args=(x, y))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


def split(array):
    parts = np.split(array.astype(np.float32), replicas)
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(parts[context.replica_id_in_sync_group])
    )


for _ in range(STEPS):
    batch = rng.randn(BATCH, 10)
    loss = train_step(split(batch), split(np.sin(batch.dot(weights))))
