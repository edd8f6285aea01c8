"""The code reads the tower state of a TowerOptimizer.

What it does:
    Reports `optimizer._graph_state()` in a replicated model, and attributes of the class such as
    `TowerOptimizer.has_been_used()`. The program stays as it is. TFM216 replaces the check for the
    last tower.

Why:
    The state identified the tower. The plain optimizer that replaces TowerOptimizer has no such
    state. A replica's index is `tf.distribute.get_replica_context().replica_id_in_sync_group`.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          share = 1.0 / optimizer._graph_state().number_of_towers
          tf.summary.scalar('mean', share * tf.reduce_mean(features))
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        model = tf.estimator.Estimator(replicated_fn)

What is left to you:
    If the state only guards summaries or hooks, remove the guard. If not, use the replica's index.
    Then run tfmigrate again.

Safety:
    Nothing is changed.
"""

from tfmigrate.families.replicate_model_fn.model_code import model_modules
from tfmigrate.families.replicate_model_fn.tower_checks import tower_checks
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.MANUAL


def check(program: Program) -> Drafts:
    """Yields a draft for every read of the state that TFM216 leaves."""
    for module, group in model_modules(program):
        for read in tower_checks(module):
            if not read.by_reuse and not read.edits:
                node = read.node
                message = f"`{read.node.attr}` belongs to TowerOptimizer, which is removed"
                action = (
                    "use tf.distribute.get_replica_context().replica_id_in_sync_group, or "
                    "remove the check, and run tfmigrate again"
                )
                yield drafted(module, node, message, action, group=group, blocks=True)
