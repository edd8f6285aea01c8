"""Workers that ran ahead on SyncReplicasOptimizer's first tokens will be in lock step.

What it does:
    Reports `get_init_tokens_op()` and `make_session_run_hook(is_chief)` without `num_tokens=0`.
    Its workers
    get a strategy with `--unsafe` only; without it, the optimizer stays and runs as before.

Why:
    By default the chief puts as many tokens into the queue as gradients are aggregated, so that a
    fast worker makes a second step before a slow one has made its first: it contributes twice to
    one update, and the gradient of the late worker is dropped as stale (semantics.md, section
    3: the losses differ from run to run). tf.distribute.MultiWorkerMirroredStrategy averages one
    gradient of each worker for every update, which is what `num_tokens=0` does.

Example:
    Before::

        import tensorflow as tf

        FLAGS = tf.app.flags.FLAGS

        def main(_):
          cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1', 'c:1']})
          server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
          if FLAGS.job_name == 'ps':
            server.join()
          is_chief = FLAGS.task_index == 0
          with tf.device(tf.train.replica_device_setter(cluster=cluster)):
            x = tf.placeholder(tf.float32, [None, 4])
            loss = tf.reduce_mean(tf.layers.dense(x, 1))
            opt = tf.train.SyncReplicasOptimizer(
                tf.train.GradientDescentOptimizer(0.1), 2, total_num_replicas=2)
            train_op = opt.minimize(loss, tf.train.get_or_create_global_step())
          hook = opt.make_session_run_hook(is_chief)
          with tf.train.MonitoredTrainingSession(server.target, is_chief, hooks=[hook]) as sess:
            sess.run(train_op, {x: [[1, 2, 3, 4]]})

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import between_graph

        FLAGS = tf.app.flags.FLAGS

        def main(_):
          cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1', 'c:1']})
          server = between_graph.Server(
              cluster,
              FLAGS.job_name,
              FLAGS.task_index,
              sync_replicas=True)
          if FLAGS.job_name == 'ps':
            server.join()
          is_chief = FLAGS.task_index == 0
          strategy = between_graph.multi_worker_mirrored_strategy(cluster=cluster)

          def replica_fn():
            x = tf.placeholder(tf.float32, [None, 4])
            loss = tf.reduce_mean(tf.layers.dense(x, 1))
            opt = between_graph.SyncReplicasOptimizer(
                tf.train.GradientDescentOptimizer(0.1), 2, total_num_replicas=2)
            train_op = opt.minimize(loss, tf.train.get_or_create_global_step())
            return x, opt, train_op

          x, opt, train_op = strategy.run(replica_fn)
          hook = opt.make_session_run_hook(is_chief)
          with between_graph.MonitoredTrainingSession(
              server.target,
              is_chief,
              hooks=[hook],
              strategy=strategy) as sess:
            sess.run(train_op, {x: [[1, 2, 3, 4]]})

What is left to you:
    Run tfmigrate with `--unsafe` where lock step is what you want; nearly always it is. A run may
    then need another learning rate: every update is made of as many gradients as there are
    workers, none of them stale.

Safety:
    Unsafe: the program trains more evenly than it did. With `num_tokens=0` in all its calls a
    program is migrated without this finding.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.families.device_setter.synchrony import files_of_programs
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM306"
NAME = "tokens-run-ahead"
SEVERITY = Severity.UNSAFE
TARGET = "2.16"
KEPT_FOR_ESTIMATOR = True

# The place of num_tokens in the methods of SyncReplicasOptimizer that fill the token queue.
_METHODS = {"get_init_tokens_op": 0, "make_session_run_hook": 1}


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every call that lets workers run ahead."""
    for centre, module in files_of_programs(program):
        for call in _calls(module):
            yield Draft(
                code=CODE,
                module=module,
                node=call,
                severity=SEVERITY,
                message="workers ran ahead on the first tokens, and stale gradients were dropped: "
                "migrated, all workers are in lock step",
                action="run tfmigrate with --unsafe, or write num_tokens=0 here, which is lock "
                "step in TensorFlow 1.x too",
                group=group_of(program, module),
                blocks=True,
                construct=group_of(program, centre),
            )


def _calls(module: Module) -> Iterator[ast.Call]:
    for call in module.all(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
            tokens = argument(call, _METHODS[call.func.attr], "num_tokens")
            if not (isinstance(tokens, ast.Constant) and tokens.value == 0):
                yield call
