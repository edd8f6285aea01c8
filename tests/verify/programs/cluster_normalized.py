"""A small network with batch normalization, trained by the workers of a cluster.

The bias before the normalization has a gradient that is nothing but rounding. With --sync the
workers train synchronously, else asynchronously.
"""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--sync", action="store_true")
FLAGS = parser.parse_args()
WORKERS = len(FLAGS.worker_hosts.split(","))


def batch(step: int) -> "tuple[np.ndarray, np.ndarray]":
    rows = np.random.RandomState(100 * FLAGS.task_index + step)
    x = rows.normal(size=(16, 5)).astype(np.float32)
    return x, (np.sin(x.sum(axis=1)) > 0).astype(np.int32)


def dense(name: str, x: tf.Tensor, units: int) -> tf.Tensor:
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [x.shape[1], units])
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
    return tf.matmul(x, kernel) + bias


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
    step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [16, 5])
    y = tf.placeholder(tf.int32, [16])
    hidden = dense("hidden", x, 8)
    mean, variance = tf.nn.moments(hidden, [0])
    scale = tf.get_variable("scale", [8], initializer=tf.ones_initializer())
    shift = tf.get_variable("shift", [8], initializer=tf.zeros_initializer())
    hidden = tf.nn.relu(tf.nn.batch_normalization(hidden, mean, variance, shift, scale, 1e-3))
    logits = dense("logits", hidden, 2)
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    rate = tf.train.exponential_decay(0.01, step, 4, 0.8, staircase=True)
    optimizer = tf.train.AdamOptimizer(rate)
    if FLAGS.sync:
        optimizer = tf.train.SyncReplicasOptimizer(optimizer, WORKERS, WORKERS)
    gradients = optimizer.compute_gradients(loss)
    gradients = [(tf.clip_by_norm(g, 0.5), v) for g, v in gradients]
    train_op = optimizer.apply_gradients(gradients, global_step=step)

hooks = [tf.train.StopAtStepHook(last_step=12)]
if FLAGS.sync:
    hooks.append(optimizer.make_session_run_hook(chief, num_tokens=0))
filters = ["/job:ps", f"/job:worker/task:{FLAGS.task_index}"]
with tf.train.MonitoredTrainingSession(
    server.target, chief, hooks=hooks, config=tf.ConfigProto(device_filters=filters)
) as session:
    made = 0
    while not session.should_stop():
        features, labels = batch(made)
        session.run(train_op, {x: features, y: labels})
        made += 1
