"""SyncReplicasOptimizer, its server and its sessions move to a mirrored strategy.

What it does:
    In a program with a replica_device_setter, replaces `SyncReplicasOptimizer`, `Server`,
    `Supervisor` and `MonitoredTrainingSession` with their equivalents in `between_graph`. If the
    optimizer is wrapped only under a condition, the server and the strategy (TFM301) get that
    condition as `sync_replicas`. The sessions get the strategy.

Why:
    A synchronous program applied the mean of the workers' gradients in one update. Under
    tf.distribute.MultiWorkerMirroredStrategy, each worker has its own copy of the variables, and
    collective operations average the gradients. Losses and variables are the same as with
    `num_tokens=0` (semantics.md, section 3). Parameter servers are not needed.

Example:
    Before::

        import tensorflow as tf

        FLAGS = tf.app.flags.FLAGS

        def main(_):
          cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
          server = tf.train.Server(
              cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
          if FLAGS.job_name == 'ps':
            server.join()
          is_chief = FLAGS.task_index == 0
          with tf.device(tf.train.replica_device_setter(
              worker_device='/job:worker/task:%d' % FLAGS.task_index,
              cluster=cluster)):
            x = tf.placeholder(tf.float32, [None, 10])
            loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 1)))
            opt = tf.train.AdamOptimizer(0.01)
            if FLAGS.sync_replicas:
              opt = tf.train.SyncReplicasOptimizer(
                  opt, replicas_to_aggregate=2, total_num_replicas=2)
            train_op = opt.minimize(loss, tf.train.get_or_create_global_step())

          hooks = [tf.train.StopAtStepHook(last_step=1000)]
          if FLAGS.sync_replicas:
            hooks.append(opt.make_session_run_hook(is_chief, num_tokens=0))
          with tf.train.MonitoredTrainingSession(
              master=server.target, is_chief=is_chief, hooks=hooks) as sess:
            while not sess.should_stop():
              sess.run(train_op, {x: next_batch()})

        if __name__ == '__main__':
          tf.app.run()

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import between_graph

        tf.disable_v2_behavior()

        FLAGS = tf.app.flags.FLAGS

        def main(_):
          cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
          server = between_graph.Server(
              cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index,
              sync_replicas=FLAGS.sync_replicas)
          if FLAGS.job_name == 'ps':
            server.join()
          is_chief = FLAGS.task_index == 0
          strategy = between_graph.strategy(
              worker_device='/job:worker/task:%d' % FLAGS.task_index,
              cluster=cluster,
              sync_replicas=FLAGS.sync_replicas)

          def replica_fn():
            x = tf.placeholder(tf.float32, [None, 10])
            loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 1)))
            opt = tf.train.AdamOptimizer(0.01)
            if FLAGS.sync_replicas:
              opt = between_graph.SyncReplicasOptimizer(
                  opt, replicas_to_aggregate=2, total_num_replicas=2)
            train_op = opt.minimize(loss, tf.train.get_or_create_global_step())
            return x, opt, train_op

          x, opt, train_op = strategy.run(replica_fn)

          hooks = [tf.train.StopAtStepHook(last_step=1000)]
          if FLAGS.sync_replicas:
            hooks.append(opt.make_session_run_hook(is_chief, num_tokens=0))
          with between_graph.MonitoredTrainingSession(
              master=server.target, is_chief=is_chief, hooks=hooks,
              strategy=strategy) as sess:
            while not sess.should_stop():
              sess.run(train_op, {x: next_batch()})

        if __name__ == '__main__':
          tf.app.run()

What is left to you:
    Start no parameter servers for synchronous training; one that is started prints a notice and
    exits. The calls that managed the token queue (`make_session_run_hook`,
    `get_chief_queue_runner`, `get_init_tokens_op`, `local_step_init_op`, `chief_init_op`,
    `ready_for_local_init_op`) have no effect and can be deleted. Start all workers with the same
    flags.

Safety:
    Safe with `num_tokens=0`; TFM306 reports the default. A program that cannot be converted as a
    whole stays as it is; TFM304 and TFM307 report why.
"""

from collections.abc import Iterator

from tfmigrate.families.device_setter.sync_sessions import SESSIONS, session_sites
from tfmigrate.families.device_setter.synchrony import modules_with_setters, synchrony
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.edits import AddKeywords, Code, Edit, ReplaceExpression
from tfmigrate.resolve.cluster_calls import OPTIMIZERS, SERVER
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, Tasks, Use, drafted
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.tables.runtime_api import BETWEEN_GRAPH

SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True
TASKS = Tasks.NO_SERVERS


def check(program: Program) -> Drafts:
    """Yields one draft for every file of a synchronous program."""
    for module in program.once(modules_with_setters):
        plan = program.once(synchrony, module)
        keywords: dict[Module, list[AddKeywords]] = {m: [] for m in plan.files}
        for server in plan.servers:
            edit = AddKeywords(server.call, (f"sync_replicas={server.condition}",))
            keywords[server.module].append(edit)
        for session in program.once(session_sites, module):
            keywords[module].append(AddKeywords(session.call, (f"strategy={session.strategy}",)))
        for other, added in keywords.items():
            uses = [u for u in other.uses_of(*OPTIMIZERS, SERVER, *SESSIONS) if u.imported]
            if not uses and not added:
                continue
            names = dict.fromkeys(_name(use) for use in uses)
            places = [*(use.node for use in uses), *(edit.call for edit in added)]
            yield drafted(
                other,
                places[0],
                f"{', '.join(names)} -> between_graph, for synchronous workers",
                edits=(
                    *_renamed(other, uses),
                    *added,
                    *runtime_import(other, BETWEEN_GRAPH, *(use.node for use in uses)),
                ),
                group=group_of(program, other),
                construct=group_of(program, module),
            )


def _renamed(module: Module, uses: list[Use]) -> Iterator[Edit]:
    runtime = runtime_name(module, BETWEEN_GRAPH)
    yield from (ReplaceExpression(use.node, Code(f"{runtime}.{_name(use)}")) for use in uses)


def _name(use: Use) -> str:
    return use.qualified.rpartition(".")[2].removesuffix("V2")
