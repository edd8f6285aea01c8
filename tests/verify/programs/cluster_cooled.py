"""Synchronous workers, whose chief alone lowers a factor of the loss between two steps."""

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
with tf.device(tf.train.replica_device_setter(cluster=jobs)):
    x = tf.placeholder(tf.float32, [4])
    w = tf.get_variable("w", initializer=0.5)
    factor = tf.get_variable("factor", initializer=1.0, trainable=False)
    loss = tf.reduce_mean(tf.square(w * x - 2.0)) * factor
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.MomentumOptimizer(0.1, 0.5), count)
    train = optimizer.minimize(loss, step)
    cool = factor.assign(factor * 0.5)
hooks = [optimizer.make_session_run_hook(index == 0, num_tokens=0), tf.train.StopAtStepHook(6)]
rng = np.random.RandomState(index)
with tf.train.MonitoredTrainingSession(server.target, index == 0, hooks=hooks) as session:
    made = 0
    while not session.should_stop():
        session.run(train, {x: rng.rand(4)})
        made += 1
        if index == 0 and made == 3:
            session.run(cool)
