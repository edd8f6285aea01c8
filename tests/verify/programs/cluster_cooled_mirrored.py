"""``cluster_cooled.py`` as tfmigrate --unsafe writes it: the workers mirror their variables."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import between_graph

tf.disable_v2_behavior()
flags = dict(argument.lstrip("-").split("=", 1) for argument in sys.argv[1:])
jobs = {job: flags[f"{job}_hosts"].split(",") for job in ("ps", "worker")}
index, count = int(flags["task_index"]), len(jobs["worker"])
server = between_graph.Server(
    jobs, job_name=flags["job_name"], task_index=index, sync_replicas=True
)
if flags["job_name"] == "ps":
    server.join()
strategy = between_graph.multi_worker_mirrored_strategy(cluster=jobs)


def replica_fn():
    x = tf.placeholder(tf.float32, [4])
    w = tf.get_variable("w", initializer=0.5)
    factor = tf.get_variable("factor", initializer=1.0, trainable=False)
    loss = tf.reduce_mean(tf.square(w * x - 2.0)) * factor
    step = tf.train.get_or_create_global_step()
    optimizer = between_graph.SyncReplicasOptimizer(tf.train.MomentumOptimizer(0.1, 0.5), count)
    train = optimizer.minimize(loss, step)
    cool = factor.assign(factor * 0.5)
    return x, optimizer, train, cool


x, optimizer, train, cool = strategy.run(replica_fn)
hooks = [optimizer.make_session_run_hook(index == 0, num_tokens=0), tf.train.StopAtStepHook(6)]
rng = np.random.RandomState(index)
with between_graph.MonitoredTrainingSession(
    server.target, index == 0, hooks=hooks, strategy=strategy
) as session:
    made = 0
    while not session.should_stop():
        session.run(train, {x: rng.rand(4)})
        made += 1
        if index == 0 and made == 3:
            session.run(cool)
