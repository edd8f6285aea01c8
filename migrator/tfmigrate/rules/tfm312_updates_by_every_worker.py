"""Updates that every synchronous worker made run only once per step.

What it does:
    Reports `tf.assign` and similar ops, `ExponentialMovingAverage.apply`, batch normalization,
    `tf.metrics`, local variables and `num_epochs` of input producers in a program with a
    SyncReplicasOptimizer, its `variable_averages`, and `tf.control_dependencies` around its
    `minimize`. The workers get a strategy only with `--unsafe`; without it, the optimizer stays and
    runs as before.

Why:
    The variables were on parameter servers, so every worker made each update that did not go
    through SyncReplicasOptimizer: N updates a step, in no particular order. Under
    tf.distribute.MultiWorkerMirroredStrategy, every worker has its own copy and updates it once.
    The moving averages of batch normalization become the mean over the workers, as intended; a
    counter of examples counts those of one worker, and a metric in the device setter's block, which
    was one of all workers, is of one. What one worker alone updates, as a hook of the chief does,
    reaches the copies of all (semantics.md, section 3.1).

    What `minimize` builds in a block of `tf.control_dependencies` waits for the block's ops. That
    included what the chief's queue runner ran for each step, and what initialized each worker: a
    counter in the block grew N + 1 times a step, and each second row of a Dataset that the block
    reads was left out on the chief. After migration the block's ops run once a step.

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

import ast
from collections.abc import Iterator

from tfmigrate.families.device_setter.sync_training import Nodes, awaited, in_replicas
from tfmigrate.families.device_setter.synchrony import files_of_programs, synchrony
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.resolve.calls import argument, method_calls, original_calls
from tfmigrate.resolve.scopes import is_none
from tfmigrate.rulekit.basics import Draft, Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.UNSAFE
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True

_UPDATES = tuple(
    f"{package}.{name}"
    for package in ("tensorflow", "tensorflow.python.ops.state_ops")
    for name in (
        "assign", "assign_add", "assign_sub", "batch_scatter_update", "count_up_to", "scatter_add",
        "scatter_div", "scatter_max", "scatter_min", "scatter_mul", "scatter_nd_add",
        "scatter_nd_sub", "scatter_nd_update", "scatter_sub", "scatter_update",
    )
)  # fmt: skip
_NORMALIZATIONS = (
    "tensorflow.contrib.layers.batch_norm",
    "tensorflow.contrib.slim.batch_norm",
    "tensorflow.keras.layers.BatchNormalization",
    "tensorflow.layers.BatchNormalization",
    "tensorflow.layers.batch_normalization",
    "tensorflow.python.training.moving_averages.assign_moving_average",
    "tensorflow.python.training.moving_averages.weighted_moving_average",
)
_LOCAL = ("tensorflow.contrib.framework.local_variable", "tensorflow.get_local_variable")
# The position of num_epochs; None where it is always 1.
_PRODUCERS = {
    "tensorflow.train.input_producer": 2,
    "tensorflow.train.limit_epochs": 1,
    "tensorflow.train.range_input_producer": 1,
    "tensorflow.train.slice_input_producer": 1,
    "tensorflow.train.string_input_producer": 1,
    "tensorflow.contrib.learn.read_batch_examples": 4,
    "tensorflow.contrib.learn.read_batch_features": 5,
    "tensorflow.contrib.learn.read_batch_record_features": 4,
    "tensorflow.contrib.learn.read_keyed_batch_examples": 4,
    "tensorflow.contrib.learn.read_keyed_batch_examples_shared_queue": 4,
    "tensorflow.contrib.learn.read_keyed_batch_features": 5,
    "tensorflow.contrib.learn.read_keyed_batch_features_shared_queue": 5,
    "tensorflow.contrib.slim.dataset_data_provider.DatasetDataProvider": 4,
    "tensorflow.contrib.slim.parallel_reader.parallel_read": 2,
    "tensorflow.contrib.slim.parallel_reader.single_pass_read": None,
}
_METRICS = ("tensorflow.contrib.metrics.streaming_", "tensorflow.metrics.")
_AVERAGE = "tensorflow.train.ExponentialMovingAverage"
# What a finding says, and what is to be checked.
_ONCE = (
    "on the parameter servers, each worker that makes this update changes the one variable; after "
    "migration, an update of every worker's step runs once a step",
    "one update a step is",
)
_LOCAL_TO_EACH = (
    "on the parameter servers, this local variable is one of all workers; after migration, each "
    "worker has its own",
    "a local variable of each worker is",
)
_EPOCHS_OF_EACH = (
    "on the parameter servers, the epochs of all workers are counted together up to num_epochs; "
    "after migration, each worker reads that many",
    "num_epochs of each worker are",
)
_NOT_TWICE = (
    "on TensorFlow 1.x, the chief also ran what this block waits for in its queue runner, once a "
    "step, and rows that it reads were left out of training; after migration, each worker runs it "
    "once a step",
    "once a step is",
)
_AVERAGES_AFTER_STEP = (
    "with several parameter servers, TensorFlow 1.x averaged the variables that are not on the "
    "global step's before the step; after migration, all are averaged after it, as with one server",
    "averages of the values after the step are",
)
_METRICS_OF_EACH = (
    "on the parameter servers, this metric is one of all workers; after migration, each worker has "
    "its own",
    "metrics of each worker are",
)
_METHODS = tuple(name for name in dict.fromkeys(n.rpartition(".")[2] for n in _UPDATES))


def check(program: Program) -> Drafts:
    """Yields a draft for every update that all workers made, and for variables of all of them."""
    for centre, module in files_of_programs(program):
        problems = [(module, node, _ONCE) for node in _updates(module)]
        problems += [(module, call.func, _LOCAL_TO_EACH) for call in _local_variables(module)]
        problems += [(module, call.func, _EPOCHS_OF_EACH) for call in _counted_epochs(module)]
        plan = program.once(synchrony, centre)
        if module is centre:
            problems += [
                (other, call.func, _AVERAGES_AFTER_STEP)
                for other, call in plan.optimizers
                if _is_given(call, 3, "variable_averages")
            ]
            problems += [(*place, _NOT_TWICE) for place in awaited(program, centre, plan)]
        metrics: Nodes = [(module, call) for call in _metrics(module)]
        if metrics:
            replicas = in_replicas(program, centre, plan, metrics)
            problems += [(module, call.func, _METRICS_OF_EACH) for _, call in replicas]
        for owner, node, (message, wanted) in problems:
            yield _draft(program, centre, owner, node, message, wanted)


def _draft(
    program: Program, centre: Module, module: Module, node: ast.expr, message: str, wanted: str
) -> Draft:
    return drafted(
        module,
        node,
        message,
        f"check that {wanted} what you want, then run tfmigrate with --unsafe",
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


def _local_variables(module: Module) -> Iterator[ast.Call]:
    yield from module.calls_of(*_LOCAL)
    yield from original_calls(module, *_LOCAL)
    for call in module.all(ast.Call):
        kept_in = [k.value for k in call.keywords if k.arg == "collections"]
        nodes = [node for value in kept_in for node in ast.walk(value)]
        if any(
            module.resolve(node) == "tensorflow.GraphKeys.LOCAL_VARIABLES"
            if isinstance(node, ast.Attribute)
            else isinstance(node, ast.Constant) and node.value == "local_variables"
            for node in nodes
        ):
            yield call


def _counted_epochs(module: Module) -> Iterator[ast.Call]:
    for name, position in _PRODUCERS.items():
        for call in (*module.calls_of(name), *original_calls(module, name)):
            if position is None or _is_given(call, position, "num_epochs"):
                yield call


def _is_given(call: ast.Call, position: int, name: str) -> bool:
    passed_value = argument(call, position, name)
    return passed_value is not None and not (is_none(passed_value))


def _updates(module: Module) -> Iterator[ast.expr]:
    yield from (use.node for use in module.uses_of(*_UPDATES, *_NORMALIZATIONS))
    for call in original_calls(module, *_NORMALIZATIONS):
        yield call.func
    averages = module.mentions("ExponentialMovingAverage") and module.uses_of(_AVERAGE)
    methods = (*_METHODS, "apply") if averages else _METHODS
    called = (method for _, method in method_calls(module, *methods))
    yield from (method for method in called if module.resolve(method) is None)
