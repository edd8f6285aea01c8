"""The program of cluster_async.py, ported manually to ParameterServerStrategy."""

import argparse

import keras
import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--steps", type=int, default=10)
FLAGS = parser.parse_args()
cluster = {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}
if FLAGS.job_name != "chief":
    tf.distribute.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index).join()

resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
    tf.train.ClusterSpec(cluster), rpc_layer="grpc"
)
strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    weights = tf.Variable(keras.initializers.GlorotUniform()((3, 1)), name="weights")
    bias = tf.Variable(tf.zeros([1]), name="bias")
    optimizer = keras.optimizers.Adam(0.05, epsilon=1e-8)
    optimizer.build([weights, bias])


def batch(task: int, step: int) -> "tuple[np.ndarray, np.ndarray]":
    rows = np.random.RandomState(100 * task + step)
    x = rows.normal(size=(8, 3)).astype(np.float32)
    return x, x @ np.array([[1.0], [-2.0], [0.5]], np.float32)


def replica_step(x: tf.Tensor, y: tf.Tensor) -> None:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) + bias - y))
    gradients = tape.gradient(loss, [weights, bias])
    optimizer.apply_gradients(zip(gradients, [weights, bias], strict=True))


@tf.function
def train_step(x: tf.Tensor, y: tf.Tensor) -> None:
    strategy.run(replica_step, args=(x, y))


# Asynchronous workers make one step more than StopAtStepHook names: both were in one then.
for number in range(FLAGS.steps + 1):
    rows = batch(number % 2, number // 2)
    coordinator.schedule(train_step, args=tuple(map(tf.constant, rows)))
coordinator.join()
