"""With `--coordinator`, the program cannot use a coordinator.

What it does:
    Reports each place that prevents a coordinator from running the loop of an asynchronous program,
    and each Estimator that trains in a cluster, on which the option has no effect. Without the
    option, nothing is reported.

Why:
    A coordinator sends every step to any idle worker. State that belongs to one process (an input
    queue, a tf.data iterator, a Python function in the graph, a share of the data) is not available
    where the step runs. Steps do not wait for the gradients of all workers, as
    SyncReplicasOptimizer requires. An Estimator has its own loop in each worker.

Example:
    Before (with --coordinator)::

        import tensorflow as tf

        cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
        server = tf.train.Server(cluster, job_name=job_name, task_index=task_index)
        if job_name == 'ps':
          server.join()
        with tf.device(tf.train.replica_device_setter(cluster=cluster)):
          x = tf.train.batch([read()], 32)
          train_op = tf.train.AdagradOptimizer(0.01).minimize(model(x))
        with tf.train.MonitoredTrainingSession(master=server.target) as sess:
          sess.run(train_op)

What is left to you:
    Migrate the program without `--coordinator`: every worker keeps its loop. Or follow the advice
    of the finding and run tfmigrate again.

Safety:
    Nothing is changed, and other changes to the program are held back; those to an Estimator are
    not.
"""

from tfmigrate.families.device_setter.coordinator import coordinator_plans
from tfmigrate.families.experiment.experiments import RUN
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.MANUAL
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True
_IN_CLUSTERS = ("tensorflow.estimator.train_and_evaluate", RUN)


def check(program: Program) -> Drafts:
    """Yields one draft for everything that prevents a coordinator."""
    for plan in program.once(coordinator_plans):
        for obstacle in plan.obstacles:
            yield drafted(
                program.module_of(obstacle.node),
                obstacle.node,
                f"a coordinator cannot run this program: {obstacle.reason}",
                f"{obstacle.action} and run tfmigrate again, or migrate without --coordinator",
                group=group_of(program, plan.module),
                blocks=True,
            )
    if program.coordinator:
        for module in program.modules:
            for call in module.calls_of(*_IN_CLUSTERS):
                yield drafted(
                    module,
                    call,
                    "--coordinator has no effect on an Estimator: each worker of its "
                    "cluster runs its own loop",
                    "migrate without --coordinator, or write the training loop yourself",
                    group=group_of(program, module),
                )
