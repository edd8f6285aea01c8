"""tf.train.Server becomes between_graph.Server, which keeps TF1's placement.

What it does:
    `tf.train.Server(...)` of an asynchronous program becomes `between_graph.Server(...)` with the
    same arguments. It starts the same server. Ops without an explicit task keep TensorFlow 1.x's
    placement. So do those of `tf.Session('grpc://...')`, which becomes `between_graph.Session`: a
    program that starts no server may connect to those of others.

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

import ast

from tfmigrate.families.device_setter.coordinator import coordinator_plans
from tfmigrate.families.device_setter.synchrony import files_of_programs
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.families.tf1.migrated_files import migrated
from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.cluster_calls import SERVER
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.tables.runtime_api import BETWEEN_GRAPH

SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True
_REMOTE = "grpc://"
_SESSION = "tf.Session", "Session"


def check(program: Program) -> Drafts:
    """Yields one draft for every file that starts a server of an asynchronous program."""
    if not (modules := migrated(program, "Server", _REMOTE)):
        return
    others = _of_other_rules(program)
    for module in modules:
        calls = [*module.calls_of(SERVER), *_sessions_of_clients(module)]
        if not calls:
            continue
        names = {call: (module.resolve(call.func) or "").rpartition(".")[2] for call in calls}
        old, new = ("tf.train.Server", "Server") if "Server" in names.values() else _SESSION
        yield drafted(
            module,
            calls[0].func,
            f"{old} -> between_graph.{new}: operations without an explicit task "
            "keep TensorFlow 1.x's placement",
            edits=(
                *(
                    ReplaceExpression(
                        call.func, Code(f"{runtime_name(module, BETWEEN_GRAPH)}.{name}")
                    )
                    for call, name in names.items()
                ),
                *runtime_import(module, BETWEEN_GRAPH, *calls),
            ),
            group=group_of(program, module),
            construct=others.get(module, ""),
            fallback=module in others,
        )


def _sessions_of_clients(module: Module) -> list[ast.Call]:
    """Returns the calls that connect a session to a server at an address."""
    if not module.mentions(_REMOTE):
        return []
    calls = module.calls_of("tensorflow.Session")
    return [call for call in calls if _is_address(argument(call, 0, "target"))]


def _is_address(node: ast.expr | None) -> bool:
    """Returns whether a text begins with the protocol of a server."""
    while isinstance(node, ast.BinOp):
        node = node.left
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value  # "grpc://{}".format(...)
    if isinstance(node, ast.JoinedStr):
        node = node.values[0]
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, str) and value.startswith(_REMOTE)


def _of_other_rules(program: Program) -> dict[Module, str]:
    """Returns the files whose servers synchronous training or a coordinator replaces.

    Each with the construct that must be kept to prevent it.
    """
    constructs = {p.module: group_of(program, p.module) for p in program.once(coordinator_plans)}
    for centre, module in files_of_programs(program):
        constructs.setdefault(module, group_of(program, centre))
    return constructs
