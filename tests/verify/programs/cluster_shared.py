"""Synchronous workers with moving averages that each updates, and embeddings that Adam trains."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
flags = dict(argument.lstrip("-").split("=", 1) for argument in sys.argv[1:])
jobs = {job: flags[f"{job}_hosts"].split(",") for job in ("ps", "worker")}
index, count = int(flags["task_index"]), len(jobs["worker"])
server = tf.train.Server(jobs, job_name=flags["job_name"], task_index=index)
if flags["job_name"] == "ps":
    server.join()
setter = tf.train.replica_device_setter(cluster=jobs, worker_device=f"/job:worker/task:{index}")
with tf.device(setter):
    ids = tf.placeholder(tf.int64, [None])
    table = tf.get_variable("table", initializer=np.linspace(-1, 1, 12).reshape(6, 2).astype("f"))
    h = tf.nn.embedding_lookup(table, ids)
    average = tf.get_variable("average", [2], trainable=False, initializer=tf.zeros_initializer())
    update = tf.assign_sub(average, 0.5 * (average - tf.reduce_mean(h, 0)))
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(h, 1) - tf.cast(ids, tf.float32)))
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(0.1), count)
    train = tf.group(optimizer.minimize(loss, step), update)
hooks = [optimizer.make_session_run_hook(index == 0, num_tokens=0), tf.train.StopAtStepHook(6)]
rng = np.random.RandomState(index)
with tf.train.MonitoredTrainingSession(server.target, index == 0, hooks=hooks) as session:
    while not session.should_stop():
        session.run(train, {ids: rng.randint(0, 6, 4 + 200_000 * index)})
