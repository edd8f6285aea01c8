"""Trains by two monitored sessions, with a hook, summaries and checkpoints; then swaps averages."""

import sys
import time

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

SUMMARIES_EVERY, CHECKPOINTS_EVERY, KEPT = 2, 3, 5


class CountingHook(tf.train.SessionRunHook):
    """Does nothing, at every run."""


x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
weights = tf.get_variable("weights", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - y))
global_step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step)
average = tf.train.ExponentialMovingAverage(0.5)
with tf.control_dependencies([train_op]):
    train_op = average.apply([weights])
swap = weights.assign(average.average(weights))
tf.summary.scalar("error", loss)
tf.summary.histogram("weights", weights)
tf.summary.image("picture", tf.reshape(x, [1, 8, 3, 1]))
merged = tf.summary.merge_all()
saver = tf.train.Saver(max_to_keep=KEPT)
writer = tf.summary.FileWriter(sys.argv[1] + time.strftime("/by_hand/%Y_%m_%d-%H%M%S"))


def batch(step):
    features = np.random.RandomState(step).normal(size=(8, 3)).astype(np.float32)
    return {x: features, y: features.sum(axis=1, keepdims=True)}


hooks = [
    CountingHook(),
    tf.train.StopAtStepHook(last_step=7),
    tf.train.SummarySaverHook(SUMMARIES_EVERY, output_dir=sys.argv[1], summary_op=merged),
    tf.train.CheckpointSaverHook(sys.argv[1], save_steps=CHECKPOINTS_EVERY, saver=saver),
    tf.train.StepCounterHook(2, output_dir=sys.argv[1]),
    tf.train.SummarySaverHook(None, 1000, output_dir=sys.argv[1] + "/timed", summary_op=merged),
]
with tf.train.SingularMonitoredSession(hooks=hooks) as session:
    while not session.should_stop():
        session.run(train_op, batch(0))
    raw = session.raw_session()
    writer.add_summary(raw.run(merged, batch(9)), 7)
    raw.run(swap.op)
    saver.save(raw, sys.argv[1] + "/averaged")
    raw.run(weights.initializer)
writer.close()
