"""``rmsprop_towers.py`` under MirroredStrategy: each replica updates by the mean of gradients."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(5)
X = rng.normal(size=(96, 5)).astype(np.float32)
Y = X.sum(axis=1, keepdims=True)
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
MEAN = tf.VariableAggregation.MEAN
with strategy.scope():
    kernel = tf.Variable(tf.random.normal([5, 1]), name="kernel", aggregation=MEAN)
    bias = tf.Variable(tf.zeros([1]), name="bias", aggregation=MEAN)
    weights = [kernel, bias]
    squares = [tf.Variable(tf.ones_like(w), trainable=False, aggregation=MEAN) for w in weights]
rows = tf.data.Dataset.from_tensor_slices((X, Y)).batch(16)


def replica_step(features, labels):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(features @ kernel + bias - labels))
    gradients = tape.gradient(loss, weights)
    gradients = tf.distribute.get_replica_context().all_reduce("MEAN", gradients)
    gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
    for weight, square, gradient in zip(weights, squares, gradients, strict=True):
        square.assign(0.9 * square + 0.1 * tf.square(gradient))
        weight.assign_sub(0.01 * gradient / tf.sqrt(square + 1e-6))


@tf.function
def train_step(features, labels):
    strategy.run(replica_step, args=(features, labels))


for batch in strategy.experimental_distribute_dataset(rows):
    train_step(*batch)
