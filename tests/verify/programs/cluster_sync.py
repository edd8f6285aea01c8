"""A linear model trained by synchronous workers with variables on parameter servers."""

import argparse
import os

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--logdir")
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--leave", action="store_true")
parser.add_argument("--rate", type=float, default=0.05)
FLAGS = parser.parse_args()


def batch(step: int) -> "tuple[np.ndarray, np.ndarray]":
    rows = np.random.RandomState(100 * FLAGS.task_index + step)
    x = rows.normal(size=(8, 3)).astype(np.float32)
    return x, x @ np.array([[1.0], [-2.0], [0.5]], np.float32)


cluster = tf.train.ClusterSpec(
    {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}
)
server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
if FLAGS.job_name == "ps":
    server.join()
chief = FLAGS.task_index == 0
device = tf.train.replica_device_setter(
    worker_device=f"/job:worker/task:{FLAGS.task_index}", cluster=cluster
)
with tf.device(device):
    global_step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    weights = tf.get_variable("weights", [3, 1])
    bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) + bias - y))
    workers = len(FLAGS.worker_hosts.split(","))
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.AdamOptimizer(FLAGS.rate),
        replicas_to_aggregate=workers,
        total_num_replicas=workers,
    )
    train_op = optimizer.minimize(loss, global_step=global_step)

filters = ["/job:ps", f"/job:worker/task:{FLAGS.task_index}"]
config = tf.ConfigProto(device_filters=filters)
hooks = [
    optimizer.make_session_run_hook(chief, num_tokens=0),
    tf.train.StopAtStepHook(last_step=FLAGS.steps),
]
with tf.train.MonitoredTrainingSession(
    server.target, chief, FLAGS.logdir if chief else None, hooks=hooks, config=config
) as session:
    made = 0
    while not session.should_stop():
        if FLAGS.leave and chief and made == 4:
            os._exit(0)
        features, labels = batch(made)
        session.run(train_op, {x: features, y: labels})
        made += 1
