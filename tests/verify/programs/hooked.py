"""A hook fetches variables and a result with each training step, and stops at a step."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Watches(tf.train.SessionRunHook):  # type: ignore[misc]
    def before_run(self, run_context):
        return tf.train.SessionRunArgs({"step": global_step, "of": [weights, worst]})

    def after_run(self, run_context, run_values):
        if run_values.results["step"] >= 4:
            run_context.request_stop()


x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
weights = tf.get_variable("weights", [3, 1])
distances = tf.square(tf.matmul(x, weights) - y)
loss = tf.reduce_mean(distances)
worst = tf.reduce_max(distances)
global_step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step)

with tf.train.MonitoredSession(hooks=[Watches()]) as session:
    step = 0
    while not session.should_stop():
        rows = np.random.RandomState(step).normal(size=(8, 3)).astype(np.float32)
        session.run(train_op, {x: rows, y: rows.sum(axis=1, keepdims=True)})
        step += 1
