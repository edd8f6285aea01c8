"""tf.train.Server becomes between_graph.Server, which keeps TF1's placement.

What it does:
    `tf.train.Server(...)` of an asynchronous program becomes `between_graph.Server(...)` with the
    same arguments. It starts the same server. Ops without an explicit task keep TensorFlow 1.x's
    placement.

Why:
    TensorFlow 1.x placed an op without a device, or with a device that names no task ("/cpu:0",
    "/job:worker"), on the first task of the cluster in the order of names. A step counter outside
    all blocks was therefore on the first parameter server, shared by all workers. TensorFlow 2
    places it on the task that runs the session. Every worker would have its own variable, which
    only the chief initializes, and the other workers would wait forever.

Example:
    Before::

        import tensorflow as tf

        cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
        server = tf.train.Server(cluster, job_name=job_name, task_index=task_index)
        if job_name == 'ps':
          server.join()
        with tf.device('/cpu:0'):
          weights = tf.get_variable('weights', [10, 1])
        x = tf.placeholder(tf.float32, [None, 10])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, weights)))
        train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        with tf.train.MonitoredTrainingSession(server.target, task_index == 0) as sess:
          sess.run(train_op, feed_dict={x: next_batch()})

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import between_graph

        tf.disable_v2_behavior()

        cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
        server = between_graph.Server(cluster, job_name=job_name, task_index=task_index)
        if job_name == 'ps':
          server.join()
        with tf.device('/cpu:0'):
          weights = tf.get_variable('weights', [10, 1])
        x = tf.placeholder(tf.float32, [None, 10])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, weights)))
        train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        with tf.train.MonitoredTrainingSession(server.target, task_index == 0) as sess:
          sess.run(train_op, feed_dict={x: next_batch()})

What is left to you:
    Nothing. An op on a GPU without an explicit task stays on the task that runs the session.

Safety:
    Safe: nothing changes on one machine, or where every op has an explicit task.
"""

from tfmigrate.families.device_setter.coordinator import coordinator_plans
from tfmigrate.families.device_setter.synchrony import files_of_programs
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.families.tf1.migrated_files import migrated
from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.resolve.cluster_calls import SERVER
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.tables.runtime_api import BETWEEN_GRAPH

SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True


def check(program: Program) -> Drafts:
    """Yields one draft for every file that starts a server of an asynchronous program."""
    if not (modules := migrated(program, "Server")):
        return
    others = _of_other_rules(program)
    for module in modules:
        if not (calls := module.calls_of(SERVER)):
            continue
        name = f"{runtime_name(module, BETWEEN_GRAPH)}.Server"
        yield drafted(
            module,
            calls[0].func,
            "tf.train.Server -> between_graph.Server: operations without an explicit task "
            "keep TensorFlow 1.x's placement",
            edits=(
                *(ReplaceExpression(call.func, Code(name)) for call in calls),
                *runtime_import(module, BETWEEN_GRAPH, *calls),
            ),
            group=group_of(program, module),
            construct=others.get(module, ""),
            fallback=module in others,
        )


def _of_other_rules(program: Program) -> dict[Module, str]:
    """Returns the files whose servers synchronous training or a coordinator replaces.

    Each with the construct that must be kept to prevent it.
    """
    constructs = {p.module: group_of(program, p.module) for p in program.once(coordinator_plans)}
    for centre, module in files_of_programs(program):
        constructs.setdefault(module, group_of(program, centre))
    return constructs
