"""A synchronous program cannot move to MultiWorkerMirroredStrategy.

What it does:
    Reports each place that prevents the conversion: a session that neither `tf.train.Supervisor`
    nor `tf.train.MonitoredTrainingSession` creates, backup replicas, ops placed on a parameter
    server with `tf.device`, a condition that is unknown where the server starts, or variables that
    only some workers make (`if is_chief: averages.apply(losses)`).
    SyncReplicasOptimizer and its parameter servers stay, and the rest of the program is migrated.

Why:
    The workers of a MultiWorkerMirroredStrategy start together, each with a copy of the variables.
    Every job must know from the start that the program is synchronous, and every session must start
    with the same values on all workers.

Example:
    Before::

        import tensorflow as tf

        FLAGS = tf.app.flags.FLAGS

        def main(_):
          cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1', 'c:1']})
          server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
          if FLAGS.job_name == 'ps':
            server.join()
          with tf.device(tf.train.replica_device_setter(cluster=cluster)):
            x = tf.placeholder(tf.float32, [None, 4])
            loss = tf.reduce_mean(tf.layers.dense(x, 1))
            opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 2)
            train_op = opt.minimize(loss, tf.train.get_or_create_global_step())
          with tf.Session(server.target) as sess:
            sess.run(train_op, {x: [[1, 2, 3, 4]]})

What is left to you:
    Nothing: the program runs as before. To get a strategy, follow the advice of each finding. Then
    run tfmigrate again.

Safety:
    Kept: the rest of the program is migrated, and this stays as it is. compat.v1 still provides it:
    on TensorFlow 2 it trains as before, but not under tf.distribute.
"""

from tfmigrate.families.device_setter.sync_obstacles import obstacles
from tfmigrate.families.device_setter.synchrony import modules_with_setters
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.KEPT
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True


def check(program: Program) -> Drafts:
    """Yields a draft for everything that keeps a synchronous program as it is."""
    for module in program.once(modules_with_setters):
        for obstacle in program.once(obstacles, module):
            place = program.module_of(obstacle.node)
            yield drafted(
                place,
                obstacle.node,
                obstacle.reason,
                f"{obstacle.action} and run tfmigrate again",
                group=group_of(program, place),
                blocks=True,
                construct=group_of(program, module),
            )
