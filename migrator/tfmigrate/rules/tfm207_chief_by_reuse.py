"""Variable reuse identifies the first tower.

What it does:
    Reports code of a replicated model that reads the `reuse` flag of a variable scope, if the scope
    may not be the tower's own or the flag is more than a condition. The program stays as it is.
    TFM216 replaces the common check, `is_chief = not tf.get_variable_scope().reuse`.

Why:
    All towers after the first were built with `reuse=True`. A replica's scope happens to have the
    same flag, but TensorFlow does not guarantee it. A replica's index is
    `tf.distribute.get_replica_context().replica_id_in_sync_group`.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          with tf.variable_scope('head') as scope:
            is_chief = not scope.reuse
          if is_chief:
            tf.summary.scalar('mean', tf.reduce_mean(features))
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        model = tf.estimator.Estimator(replicated_fn)

What is left to you:
    If the flag only guards summaries, remove the guard, which summaries do not need. If not,
    compare the replica's index with 0. Then run tfmigrate again.

Safety:
    Nothing is changed.
"""

from tfmigrate.families.replicate_model_fn.model_code import model_modules
from tfmigrate.families.replicate_model_fn.tower_checks import tower_checks
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.MANUAL


def check(program: Program) -> Drafts:
    """Yields a draft for every read of a variable scope's reuse flag that TFM216 leaves."""
    for module, group in model_modules(program):
        for tower_check in tower_checks(module):
            if tower_check.by_reuse and not tower_check.edits:
                yield drafted(
                    module,
                    tower_check.node,
                    "variable reuse identifies the first tower, but tf.distribute does not "
                    "guarantee it for replicas",
                    "compare tf.distribute.get_replica_context().replica_id_in_sync_group "
                    "with 0, or remove the check, and run tfmigrate again",
                    group=group,
                    blocks=True,
                )
