"""The program of cluster_sync.py, ported manually to MultiWorkerMirroredStrategy."""

import argparse
import json
import os

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--steps", type=int, default=10)
FLAGS = parser.parse_args()
os.environ["TF_CONFIG"] = json.dumps(
    {
        "cluster": {"worker": FLAGS.worker_hosts.split(",")},
        "task": {"type": "worker", "index": FLAGS.task_index},
    }
)

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    optimizer = keras.optimizers.Adam(0.05, epsilon=1e-8)
    optimizer.build(model.trainable_variables)


def batch(step: int) -> "tuple[np.ndarray, np.ndarray]":
    rows = np.random.RandomState(100 * FLAGS.task_index + step)
    x = rows.normal(size=(8, 3)).astype(np.float32)
    return x, x @ np.array([[1.0], [-2.0], [0.5]], np.float32)


def replica_step(x: tf.Tensor, y: tf.Tensor) -> None:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        scaled = loss / strategy.num_replicas_in_sync
    gradients = tape.gradient(scaled, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))


@tf.function
def train_step(x: tf.Tensor, y: tf.Tensor) -> None:
    strategy.run(replica_step, args=(x, y))


for number in range(FLAGS.steps):
    train_step(*map(tf.constant, batch(number)))
