"""A SyncReplicasOptimizer, the server and the sessions become those of a mirrored strategy.

What it does:
    In a program with a replica_device_setter, `SyncReplicasOptimizer`, `Server`, `Supervisor` and
    `MonitoredTrainingSession` become those of `between_graph`. The server and the strategy
    (TFM301) are told whether the program is synchronous: always, or under the condition that the
    optimizer is wrapped under. The sessions are told the strategy.

Why:
    The workers of a synchronous program made one update of the mean of their gradients. Under
    tf.distribute.MultiWorkerMirroredStrategy they keep the variables themselves and average the
    gradients by collective operations. The losses and the variables are the same as with
    `num_tokens=0` (semantics.md, section 3); parameter servers are no longer needed.

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
    Start no parameter servers for synchronous training; one that is started says so and ends. The
    calls that handled the token queue (`make_session_run_hook`, `get_chief_queue_runner`,
    `get_init_tokens_op`, `local_step_init_op`, `chief_init_op`, `ready_for_local_init_op`) do
    nothing any more and can be deleted. All workers must be started with the same flags.

Safety:
    Safe where the tokens are `num_tokens=0`; the default is told by TFM306. A program that cannot
    be carried as a whole stays as it is, and TFM304 and TFM307 say why.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.device_setter.sync_sessions import SESSIONS, session_sites
from tfmigrate.families.device_setter.synchrony import modules_with_setters, synchrony
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.edits import AddKeywords, Code, Edit, ReplaceExpression
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.cluster_calls import OPTIMIZERS, SERVER
from tfmigrate.resolve.module import Module, Use
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.tables.runtime_api import BETWEEN_GRAPH

CODE = "TFM303"
NAME = "sync-replicas"
SEVERITY = Severity.FIXED
TARGET = "2.16"
KEPT_FOR_ESTIMATOR = True


def check(program: Program) -> Iterator[Draft]:
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
            yield Draft(
                code=CODE,
                module=other,
                node=places[0],
                severity=SEVERITY,
                message=f"{', '.join(names)} -> those of between_graph, for synchronous workers",
                edits=(*_renamed(other, uses), *added, *runtime_import(other, BETWEEN_GRAPH)),
                group=group_of(program, other),
                construct=group_of(program, module),
            )


def _renamed(module: Module, uses: list[Use]) -> Iterator[Edit]:
    runtime = runtime_name(module, BETWEEN_GRAPH)
    for use in uses:
        yield ReplaceExpression(use.node, Code(f"{runtime}.{_name(use)}"))


def _name(use: Use) -> str:
    return use.qualified.rpartition(".")[2].removesuffix("V2")
