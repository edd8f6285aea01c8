"""A linear model trained by asynchronous workers with variables on parameter servers."""

import argparse
import os
import pathlib
import sys
import threading
import time

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--logdir")
parser.add_argument("--session", default="monitored")
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--rate", type=float, default=0.05)
parser.add_argument("--device", default="")
parser.add_argument("--taken", default="")
parser.add_argument("--fail", default="")
FLAGS = parser.parse_args()


def batch(step: int) -> "tuple[np.ndarray, np.ndarray]":
    rows = np.random.RandomState(100 * FLAGS.task_index + step)
    x = rows.normal(size=(8, 3)).astype(np.float32)
    return x, x @ np.array([[1.0], [-2.0], [0.5]], np.float32)


cluster = tf.train.ClusterSpec(
    {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}
)
server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
if FLAGS.fail == f"{FLAGS.job_name}/{FLAGS.task_index}":
    sys.exit(f"no more {FLAGS.job_name}")
if FLAGS.taken and not pathlib.Path(FLAGS.taken).exists():
    pathlib.Path(FLAGS.taken).mkdir(exist_ok=True)
    sys.exit("Address already in use")
if FLAGS.job_name == "ps":
    server.join()
print("process", os.getpid(), flush=True)
chief = FLAGS.task_index == 0
device = tf.train.replica_device_setter(
    worker_device=f"/job:worker/task:{FLAGS.task_index}{FLAGS.device}", cluster=cluster
)
with tf.device(device):
    global_step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    weights = tf.get_variable("weights", [3, 1])
    bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) + bias - y))
    optimizer = tf.train.AdamOptimizer(FLAGS.rate)
    train_op = optimizer.minimize(loss, global_step=global_step)

filters = ["/job:ps", f"/job:worker/task:{FLAGS.task_index}"]
config = tf.ConfigProto(device_filters=filters)
if FLAGS.session == "monitored":
    hooks = [tf.train.StopAtStepHook(last_step=FLAGS.steps)]
    with tf.train.MonitoredTrainingSession(
        server.target, chief, FLAGS.logdir if chief else None, hooks=hooks, config=config
    ) as session:
        made = 0
        while not session.should_stop():
            if made == 2 and not chief and FLAGS.fail == "step":
                os._exit(3)
            if made == 2 and not chief and FLAGS.fail == "hang":
                time.sleep(1000)
            features, labels = batch(made)
            session.run(train_op, {x: features, y: labels})
            made += 1
else:
    supervisor = tf.train.Supervisor(
        is_chief=chief, logdir=FLAGS.logdir, global_step=global_step, recovery_wait_secs=1
    )
    session = supervisor.prepare_or_wait_for_session(server.target, config=config)
    step = made = 0
    while not supervisor.should_stop() and step < FLAGS.steps:
        features, labels = batch(made)
        session.run(train_op, {x: features, y: labels})
        step = session.run(global_step)
        made += 1
    supervisor.stop()

if FLAGS.fail == "linger" and chief:
    waiting = threading.Thread(target=time.sleep, args=(1000,))
    waiting.start()
    # As a synchronous chief does in its queue runner's thread.
    tf.train.Coordinator().join([waiting], stop_grace_period_secs=1000)
