"""Asynchronous workers whose units rounding decides."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

parser = argparse.ArgumentParser()
for name in ("job_name", "task_index", "ps_hosts", "worker_hosts"):
    parser.add_argument("--" + name)
flags = parser.parse_args()
cluster = tf.train.ClusterSpec(
    {"ps": flags.ps_hosts.split(","), "worker": flags.worker_hosts.split(",")}
)
index = int(flags.task_index)
server = tf.train.Server(cluster, job_name=flags.job_name, task_index=index)
if flags.job_name == "ps":
    server.join()

STEPS, ROWS, UNITS = 12, 200, 1000
ROUNDING = 0.0
random = np.random.RandomState(3 + index)
batches = random.normal(size=(STEPS, ROWS, 8)).astype(np.float32)
setter = tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{index}")
with tf.device(setter):
    batch = tf.placeholder(tf.float32, [ROWS, 8])
    kernel = tf.get_variable(
        "kernel", [8, UNITS], initializer=tf.glorot_uniform_initializer(seed=1)
    )
    signs = ROUNDING * random.choice([-1, 1], [ROWS, UNITS]).astype(np.float32)
    units = tf.nn.relu(tf.matmul(batch, kernel) + signs)
    out = tf.get_variable("out", [UNITS, 1], initializer=tf.glorot_uniform_initializer(seed=2))
    target = tf.reduce_sum(batch, 1, keepdims=True)
    loss = tf.reduce_mean(tf.square(tf.matmul(units, out) - target))
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss, step)
hooks = [tf.train.StopAtStepHook(last_step=STEPS)]
with tf.train.MonitoredTrainingSession(server.target, index == 0, hooks=hooks) as session:
    for rows in batches:
        if session.should_stop():
            break
        session.run(train_op, {batch: rows})
