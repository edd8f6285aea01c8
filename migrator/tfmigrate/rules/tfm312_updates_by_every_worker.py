"""Updates that every synchronous worker made run only once per step.

What it does:
    Reports `tf.assign` and similar ops, `ExponentialMovingAverage.apply`, batch normalization and
    `tf.metrics` in a program with a SyncReplicasOptimizer. The workers get a strategy only with
    `--unsafe`; without it, the optimizer stays and runs as before.

Why:
    The variables were on parameter servers, so every worker made each update that did not go
    through SyncReplicasOptimizer: N updates a step, in no particular order. Under
    tf.distribute.MultiWorkerMirroredStrategy, every worker has its own copy and updates it once.
    The moving averages of batch normalization become the mean over the workers, as intended; a
    counter of examples counts those of one worker, and a metric in the device setter's block, which
    was one of all workers, is of one. What one worker alone updates, as a hook of the chief does,
    reaches the copies of all (semantics.md, section 3.1).

Example:
    Before::

        import tensorflow as tf

        FLAGS = tf.app.flags.FLAGS

        def main(_):
          cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1', 'c:1']})
          server = tf.train.Server(cluster, FLAGS.job_name)
          if FLAGS.job_name == 'ps':
            server.join()
          with tf.device(tf.train.replica_device_setter(cluster=cluster)):
            x = tf.placeholder(tf.float32, [None, 4])
            seen = tf.Variable(0, trainable=False)
            count_op = tf.assign_add(seen, tf.shape(x)[0])
            loss = tf.reduce_mean(tf.layers.dense(x, 1))
            opt = tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(), 2)
            train_op = opt.minimize(loss, tf.train.get_or_create_global_step())
          with tf.train.MonitoredTrainingSession(server.target) as sess:
            sess.run([train_op, count_op], {x: [[1, 2, 3, 4]]})

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import between_graph

        FLAGS = tf.app.flags.FLAGS

        def main(_):
          cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1', 'c:1']})
          server = between_graph.Server(cluster, FLAGS.job_name, sync_replicas=True)
          if FLAGS.job_name == 'ps':
            server.join()
          strategy = between_graph.multi_worker_mirrored_strategy(cluster=cluster)

          def replica_fn():
            x = tf.placeholder(tf.float32, [None, 4])
            seen = tf.Variable(0, trainable=False)
            count_op = tf.assign_add(seen, tf.shape(x)[0])
            loss = tf.reduce_mean(tf.layers.dense(x, 1))
            opt = between_graph.SyncReplicasOptimizer(tf.train.AdamOptimizer(), 2)
            train_op = opt.minimize(loss, tf.train.get_or_create_global_step())
            return x, count_op, train_op

          x, count_op, train_op = strategy.run(replica_fn)
          with between_graph.MonitoredTrainingSession(server.target, strategy=strategy) as sess:
            sess.run([train_op, count_op], {x: [[1, 2, 3, 4]]})

What is left to you:
    Check that one update a step is what you want, and run tfmigrate with `--unsafe`. An average of
    the variables (`ema.apply`) is updated once a step, as with `variable_averages` of
    SyncReplicasOptimizer; its decay may have been chosen for N updates a step. Sum up totals over
    the workers with `tf.distribute.get_replica_context().all_reduce`.

Safety:
    Unsafe: updates of every worker's step run once a step, not once for each worker. Losses and
    weights differ where they read these variables. Copies that differ are an error.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.families.device_setter.sync_training import Nodes, in_replicas
from tfmigrate.families.device_setter.synchrony import files_of_programs, synchrony
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.calls import original_calls
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM312"
NAME = "updates-by-every-worker"
SEVERITY = Severity.UNSAFE
TARGET = "2.16"
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True

_UPDATES = tuple(
    f"{package}.{name}"
    for package in ("tensorflow", "tensorflow.python.ops.state_ops")
    for name in (
        "assign",
        "assign_add",
        "assign_sub",
        "batch_scatter_update",
        "count_up_to",
        "scatter_add",
        "scatter_div",
        "scatter_max",
        "scatter_min",
        "scatter_mul",
        "scatter_nd_add",
        "scatter_nd_sub",
        "scatter_nd_update",
        "scatter_sub",
        "scatter_update",
    )
)
_NORMALIZATIONS = (
    "tensorflow.contrib.layers.batch_norm",
    "tensorflow.contrib.slim.batch_norm",
    "tensorflow.keras.layers.BatchNormalization",
    "tensorflow.layers.BatchNormalization",
    "tensorflow.layers.batch_normalization",
    "tensorflow.python.training.moving_averages.assign_moving_average",
    "tensorflow.python.training.moving_averages.weighted_moving_average",
)
_METRICS = ("tensorflow.contrib.metrics.streaming_", "tensorflow.metrics.")
_AVERAGE = "tensorflow.train.ExponentialMovingAverage"
_METHODS = tuple(name for name in dict.fromkeys(n.rpartition(".")[2] for n in _UPDATES))


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every update that all workers made."""
    for centre, module in files_of_programs(program):
        for node in _updates(module):
            yield _draft(
                program,
                centre,
                module,
                node,
                "on the parameter servers, each worker that makes this update changes the one "
                "variable; after migration, an update of every worker's step runs once a step",
                "one update a step is",
            )
        metrics: Nodes = [(module, call) for call in _metrics(module)]
        plan = program.once(synchrony, centre)
        for _, call in in_replicas(program, centre, plan, metrics) if metrics else ():
            yield _draft(
                program,
                centre,
                module,
                call.func,
                "on the parameter servers, this metric is one of all workers; after migration, "
                "each worker has its own",
                "metrics of each worker are",
            )


def _draft(
    program: Program, centre: Module, module: Module, node: ast.expr, message: str, wanted: str
) -> Draft:
    return Draft(
        code=CODE,
        module=module,
        node=node,
        severity=SEVERITY,
        message=message,
        action=f"check that {wanted} what you want, then run tfmigrate with --unsafe",
        group=group_of(program, module),
        blocks=True,
        construct=group_of(program, centre),
    )


def _metrics(module: Module) -> list[ast.Call]:
    return [
        call
        for call in module.all(ast.Call)
        if (module.resolve(call.func) or "").startswith(_METRICS)
    ]


def _updates(module: Module) -> Iterator[ast.expr]:
    for use in module.uses_of(*_UPDATES, *_NORMALIZATIONS):
        yield use.node
    for call in original_calls(module, *_NORMALIZATIONS):
        yield call.func
    averages = module.mentions("ExponentialMovingAverage") and module.uses_of(_AVERAGE)
    methods = (*_METHODS, "apply") if averages else _METHODS
    for call in module.all(ast.Call):
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in methods:
            continue
        if module.resolve(call.func) is None:
            yield call.func
