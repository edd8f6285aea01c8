"""With `--coordinator`, only task 0's loop and data remain.

What it does:
    Reports uses of the task index for more than placement, messages and the choice of a chief. The
    program gets a coordinator only with `--unsafe`.

Why:
    Every worker had a loop, and often a share of the data selected by its index. The coordinator
    runs one loop, as task 0: its steps run on all workers, but on the batches of task 0.

Example:
    Before (with --coordinator)::

        import tensorflow as tf

        cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
        server = tf.train.Server(cluster, job_name=job_name, task_index=task_index)
        if job_name == 'ps':
          server.join()
        images = load_images()[task_index::2]
        with tf.device(tf.train.replica_device_setter(cluster=cluster)):
          x = tf.placeholder(tf.float32, [None, 784])
          train_op = make_train_op(x)
        with tf.train.MonitoredTrainingSession(master=server.target) as sess:
          sess.run(train_op, feed_dict={x: images})

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import coordinator

        tf.disable_v2_behavior()

        cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
        server = coordinator.Server(cluster, job_name=job_name, task_index=task_index)
        if job_name != 'chief':
          server.join()
        images = load_images()[task_index::2]
        strategy = coordinator.parameter_server_strategy(cluster=cluster)

        def replica_fn():
          x = tf.placeholder(tf.float32, [None, 784])
          train_op = make_train_op(x)
          return x, train_op

        x, train_op = strategy.run(replica_fn)
        with coordinator.MonitoredTrainingSession(master=server.target) as sess:
          sess.run(train_op, feed_dict={x: images})

What is left to you:
    Let the loop read the data of all workers. If the index is only used as a seed or in names,
    `--unsafe` is all you need.

Safety:
    Unsafe: if the index selects a share of the data, the program no longer trains on the other
    shares.
"""

from tfmigrate.families.device_setter.coordinator import coordinator_plans
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.UNSAFE
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True


def check(program: Program) -> Drafts:
    """Yields one draft for every use of the task index that only task 0 will make."""
    for plan in program.once(coordinator_plans):
        for node in plan.task_uses:
            yield drafted(
                plan.module,
                node,
                "the task index is used here, but with --coordinator only task 0's loop "
                "and data remain",
                "let the loop read the data of all workers and run tfmigrate with --unsafe, "
                "or migrate without --coordinator",
                group=group_of(program, plan.module),
                blocks=True,
            )
