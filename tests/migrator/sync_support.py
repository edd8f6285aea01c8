"""Synchronous programs for the tests of the rules."""

from __future__ import annotations

import textwrap

HEAD = """\
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1', 'c:1']})

def main(_):
  server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
  if FLAGS.job_name == 'ps':
    server.join()
  is_chief = FLAGS.task_index == 0
"""
SETTER = "with tf.device(tf.train.replica_device_setter(cluster=cluster)):\n"
GRAPH = """\
  x = tf.placeholder(tf.float32, [None, 4])
  loss = tf.reduce_mean(tf.layers.dense(x, 1))
  step = tf.train.get_or_create_global_step()
  opt = tf.train.AdamOptimizer()
"""
WRAPPED = "opt = tf.train.SyncReplicasOptimizer(opt, 2, total_num_replicas=2)\n"
TRAIN = "  train_op = opt.minimize(loss, step)\n"
SESSION = """\
with tf.train.MonitoredTrainingSession(server.target, is_chief) as sess:
  sess.run(train_op, {x: [[1, 2, 3, 4]]})
"""


def program(wrapping: str, session: str = SESSION, head: str = HEAD) -> str:
    """Returns a program that wraps its optimizer in some way."""
    body = SETTER + GRAPH + textwrap.indent(wrapping, "  ") + TRAIN + session
    return head + textwrap.indent(body, "  ")
