"""Variables placed on parameter servers with tf.device move to a replica function.

What it does:
    Applies to programs that create variables under `tf.device('/job:ps/task:0')` and compute under
    `tf.device('/job:worker/task:1')`, without `replica_device_setter`. Everything from the first of
    these blocks to the last becomes a replica function of
    `between_graph.parameter_server_strategy`. The blocks inside it stay as they are.

Why:
    The strategy keeps explicit devices. Ops without a device keep TensorFlow 1.x's placement, on
    the first task of the cluster in the order of names (TFM313). Slots of optimizers are placed
    next to their variables.

Example:
    Before::

        import tensorflow as tf

        cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
        server = tf.train.Server(cluster, job_name='worker', task_index=0)
        with tf.device('/job:ps/task:0'):
          weights = tf.get_variable('weights', [10, 1])
        with tf.device('/job:worker/task:0'):
          x = tf.placeholder(tf.float32, [None, 10])
          loss = tf.reduce_mean(tf.square(tf.matmul(x, weights)))
          train_op = tf.train.AdagradOptimizer(0.01).minimize(loss)

        with tf.Session(server.target) as sess:
          sess.run(tf.global_variables_initializer())
          sess.run(train_op, feed_dict={x: next_batch()})

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import between_graph

        tf.disable_v2_behavior()

        cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
        server = between_graph.Server(cluster, job_name='worker', task_index=0)
        strategy = between_graph.parameter_server_strategy(
            worker_device="/job:worker/task:0", cluster=cluster, placed_by_hand=True)

        def replica_fn():
          with tf.device('/job:ps/task:0'):
            weights = tf.get_variable('weights', [10, 1])
          with tf.device('/job:worker/task:0'):
            x = tf.placeholder(tf.float32, [None, 10])
            loss = tf.reduce_mean(tf.square(tf.matmul(x, weights)))
            train_op = tf.train.AdagradOptimizer(0.01).minimize(loss)
          return x, train_op

        x, train_op = strategy.run(replica_fn)

        with tf.Session(server.target) as sess:
          sess.run(tf.global_variables_initializer())
          sess.run(train_op, feed_dict={x: next_batch()})

What is left to you:
    Nothing. If one process builds the graphs of several workers, or if the blocks are in several
    functions, the program stays as it is and TFM304 reports why. A program that already has a
    ParameterServerStrategy only needs new names.

Safety:
    Safe: everything stays on its device.
"""

from tfmigrate.families.device_setter.hand_placement import HandPlacement, hand_placement
from tfmigrate.families.device_setter.plan import free_names
from tfmigrate.families.device_setter.replica_calls import replica_call
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.edits import Code, StatementsToFunction
from tfmigrate.rulekit.basics import Draft, Drafts, Program, Severity, drafted
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.tables.runtime_api import BETWEEN_GRAPH

SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True
WORDS = ("job:ps",)


def check(program: Program) -> Drafts:
    """Yields the draft of every file whose tf.device blocks can become a replica function."""
    for module in program.mentioning("job:ps"):
        placement = program.once(hand_placement, module)
        if placement is not None and not placement.problems:
            yield _draft(program, placement)


def _draft(program: Program, placement: HandPlacement) -> Draft:
    module, region, plan = placement.module, placement.region, placement.plan
    assert region is not None
    assert plan is not None
    strategy, function = free_names(module)
    make = f"{strategy} = {runtime_name(module, BETWEEN_GRAPH)}.parameter_server_strategy"
    indent = module.indentation(region.first)
    code = replica_call(plan, strategy, function, indent + "  ", indent)
    arguments = (
        f"worker_device={placement.worker}",
        f"cluster={placement.cluster}",
        "placed_by_hand=True",
    )
    edit = StatementsToFunction(
        first=region.first,
        last=region.last,
        before=(Code(make, (), arguments),),
        head=code.head,
        results=code.results,
        after=(Code(code.call),),
        unset=tuple(plan.unset),
    )
    return drafted(
        module,
        placement.node,
        "tf.device blocks on parameter servers and a worker -> replica function of "
        "between_graph.parameter_server_strategy",
        edits=(edit, *runtime_import(module, BETWEEN_GRAPH, placement.node)),
        group=group_of(program, module),
        construct=group_of(program, module),
    )
