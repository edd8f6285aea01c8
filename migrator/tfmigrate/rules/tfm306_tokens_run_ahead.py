"""SyncReplicasOptimizer's initial tokens let workers run ahead.

What it does:
    Reports `get_init_tokens_op()` and `make_session_run_hook(is_chief)` without `num_tokens=0`. The
    workers get a strategy only with `--unsafe`; without it, the optimizer stays and runs as before.

Why:
    By default, the chief puts as many tokens into the queue as gradients are aggregated. A fast
    worker can then run a second step before a slow worker runs its first: it contributes twice to
    one update, and the late gradient is dropped as stale (semantics.md, section 3: the losses
    differ from run to run). tf.distribute.MultiWorkerMirroredStrategy averages one gradient of each
    worker for every update, as `num_tokens=0` does.

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
    Run tfmigrate with `--unsafe` if you want lockstep training, as nearly everyone does. You may
    have to tune the learning rate: every update then averages as many gradients as there are
    workers, none of them stale.

Safety:
    Unsafe: the updates differ from those of a run in which workers ran ahead. A program with
    `num_tokens=0` in all these calls is migrated without this finding.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.device_setter.synchrony import files_of_programs
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.resolve.calls import argument, method_calls
from tfmigrate.resolve.cluster_calls import OPTIMIZERS
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.UNSAFE
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True

_TOTAL = "total_num_replicas"
# The place of num_tokens in the methods of SyncReplicasOptimizer that fill the token queue.
_METHODS = {"get_init_tokens_op": 0, "make_session_run_hook": 1}


def check(program: Program) -> Drafts:
    """Yields a draft for every call that lets workers run ahead."""
    for centre, module in files_of_programs(program):
        for call in _calls(module):
            yield drafted(
                module,
                call,
                "workers run ahead on the initial tokens, and stale gradients are dropped; "
                "after migration, all workers run in lockstep",
                "run tfmigrate with --unsafe, or pass `num_tokens=0` here, which means "
                f"lockstep in TensorFlow 1.x too{_backups(centre)}",
                group=group_of(program, module),
                blocks=True,
                construct=group_of(program, centre),
            )


def _backups(module: Module) -> str:
    """Returns what the action adds where an optimizer may not wait for all workers."""
    for call in module.calls_of(*OPTIMIZERS):
        counts = [argument(call, 1, "replicas_to_aggregate"), argument(call, 2, _TOTAL)]
        count_texts = {ast.unparse(count) for count in counts if count is not None}
        if len(count_texts) > 1:
            both = " and ".join(f"`{count}`" for count in sorted(count_texts))
            return f"; {both} have to be the number of workers: there are no backup replicas"
    return ""


def _calls(module: Module) -> Iterator[ast.Call]:
    for call, method in method_calls(module, *_METHODS):
        tokens = argument(call, _METHODS[method.attr], "num_tokens")
        if not (isinstance(tokens, ast.Constant) and tokens.value == 0):
            yield call
