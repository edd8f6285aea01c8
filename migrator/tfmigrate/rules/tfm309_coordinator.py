"""With `--coordinator`, one process runs the training loop of all workers.

What it does:
    The jobs "ps" and "worker" only run a server. A new job "chief", with one task, runs the
    program's loop. `tf.train.Server`, the strategy (TFM301) and the sessions become those of
    `coordinator`, and `if` statements that test the job name test for "chief". Without the option,
    nothing is changed.

Why:
    This is how TensorFlow 2 trains asynchronously: `tf.distribute.ParameterServerStrategy` with a
    `ClusterCoordinator`. Workers can be restarted at any time, and there is only one loop.

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
    Start the program as before, plus one process with the job name "chief" and task 0. Training
    ends when that process exits; then stop the "ps" and "worker" jobs, which never exit by
    themselves. A loop that counted N steps on each worker, not global steps, now runs N steps in
    total. Fetch the loss only now and then: the loop waits for each step whose results it reads.

Safety:
    Safe: each step reads and writes the variables on the parameter servers as a worker did. As many
    steps overlap as there are workers; with TFMIGRATE_STEPS_IN_FLIGHT=1 none do.
"""

from tfmigrate.families.device_setter.coordinator import coordinator_plans
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.rulekit.basics import Drafts, Program, Severity, Tasks, drafted

SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True
TASKS = Tasks.ONE_MORE


def check(program: Program) -> Drafts:
    """Yields one draft for every program whose loop moves to a coordinator."""
    for plan in program.once(coordinator_plans):
        if plan.obstacles or plan.server is None:
            continue
        yield drafted(
            plan.module,
            plan.server,
            "training loops of the workers -> one loop in a new job; start one more "
            "process with job name `chief` and task 0",
            edits=plan.edits,
            group=group_of(program, plan.module),
            construct=group_of(program, plan.module),
        )
