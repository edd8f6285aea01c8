"""A check for the first or last tower becomes a check of the replica's index.

What it does:
    In a replicated model, replaces `not tf.get_variable_scope().reuse` (the first tower) and
    `optimizer._graph_state().is_the_last_tower` with a comparison with the replica's index,
    `tf.distribute.get_replica_context().replica_id_in_sync_group`.

Why:
    All towers after the first were built with `reuse=True`, and TowerOptimizer counted the towers.
    A replica of tf.distribute has an index.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          if not tf.get_variable_scope().reuse:
            tf.summary.scalar('mean', tf.reduce_mean(features))
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        model = tf.estimator.Estimator(replicated_fn)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def model_fn(features, labels, mode):
          loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          if tf.get_static_value(tf.distribute.get_replica_context().replica_id_in_sync_group) == 0:
            tf.summary.scalar('mean', tf.reduce_mean(features))
          optimizer = tf.train.AdamOptimizer()
          return estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        strategy = tf.distribute.MirroredStrategy()
        model = estimator.Estimator(
            model_fn,
            config=estimator.RunConfig(
                train_distribute=strategy, eval_distribute=strategy, global_batch=True))

What is left to you:
    Nothing. A guard around summaries alone can be removed: only the first replica writes summaries.
    Summaries of the last tower are now written by the first replica.

Safety:
    Safe: the check is true on one replica, as it was on one tower.
"""

from tfmigrate.families.replicate_model_fn.model_code import model_modules
from tfmigrate.families.replicate_model_fn.tower_checks import tower_checks
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.FIXED


def check(program: Program) -> Drafts:
    """Yields a draft for every check that a replica can make."""
    for module, group in model_modules(program):
        for tower_check in tower_checks(module):
            if tower_check.edits:
                which = "first" if tower_check.by_reuse else "last"
                node = tower_check.node
                message = f"check for the {which} tower -> check of the replica's index"
                yield drafted(module, node, message, edits=tower_check.edits, group=group)
