"""With `--coordinator`, one process runs the loop that every worker had.

What it does:
    The jobs "ps" and "worker" only serve; a job "chief", of which there is one, runs the
    program's loop. `tf.train.Server`, the strategy (TFM301) and the sessions become those of
    `coordinator`, and `if`s that ask for the job's name ask for "chief". Nothing happens without
    the option.

Why:
    It is how TensorFlow 2 trains asynchronously: `tf.distribute.ParameterServerStrategy` with a
    `ClusterCoordinator`. A worker may come and go, and the loop stands in one place.

Example:
    Before (with --coordinator)::

        import tensorflow as tf

        def main(_):
          cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
          server = tf.train.Server(
              cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
          if FLAGS.job_name == 'ps':
            server.join()
          elif FLAGS.job_name == 'worker':
            with tf.device(tf.train.replica_device_setter(cluster=cluster)):
              x = tf.placeholder(tf.float32, [None, 10])
              loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 1)))
              global_step = tf.train.get_or_create_global_step()
              train_op = tf.train.AdagradOptimizer(0.01).minimize(loss, global_step=global_step)

            with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=FLAGS.task_index == 0) as sess:
              for _ in range(1000):
                sess.run(train_op, feed_dict={x: next_batch()})

        if __name__ == '__main__':
          tf.app.run()

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import coordinator

        tf.disable_v2_behavior()

        def main(_):
          cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
          server = coordinator.Server(
              cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
          if FLAGS.job_name != 'chief':
            server.join()
          elif FLAGS.job_name == 'chief':
            strategy = coordinator.parameter_server_strategy(cluster=cluster)

            def replica_fn():
              x = tf.placeholder(tf.float32, [None, 10])
              loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 1)))
              global_step = tf.train.get_or_create_global_step()
              train_op = tf.train.AdagradOptimizer(0.01).minimize(loss, global_step=global_step)
              return x, train_op

            x, train_op = strategy.run(replica_fn)

            with coordinator.MonitoredTrainingSession(
                master=server.target, is_chief=FLAGS.task_index == 0) as sess:
              for _ in range(1000):
                sess.run(train_op, feed_dict={x: next_batch()})

        if __name__ == '__main__':
          tf.app.run()

What is left to you:
    Start the program as before, and once more with the job name "chief" and task 0. When that
    process ends, training is done: end the "ps" and "worker" jobs, which serve for ever. A loop
    that made N steps on each worker now makes N in all, where it does not go by the global step.
    Look at the loss now and then only: a step whose results are looked at is waited for.

Safety:
    Safe: each step reads and writes the variables on the parameter servers as a worker's did. As
    many steps overlap as there are workers; with TFMIGRATE_STEPS_IN_FLIGHT=1 none do.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.device_setter.coordinator import coordinator_plans
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM309"
NAME = "coordinator"
SEVERITY = Severity.FIXED
TARGET = "2.16"
KEPT_FOR_ESTIMATOR = True


def check(program: Program) -> Iterator[Draft]:
    """Yields one draft for every program whose loop moves to a coordinator."""
    for plan in program.once(coordinator_plans):
        if plan.obstacles or plan.server is None:
            continue
        yield Draft(
            code=CODE,
            module=plan.module,
            node=plan.server,
            severity=SEVERITY,
            message="the jobs ps and worker only serve now; start the program once more, "
            "with the job name chief and task 0: it runs the loop",
            edits=tuple(plan.edits),
            group=group_of(program, plan.module),
            construct=group_of(program, plan.module),
        )
