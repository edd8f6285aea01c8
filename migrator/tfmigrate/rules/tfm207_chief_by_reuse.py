"""Variable reuse identifies the first tower.

What it does:
    Reports code of a replicated model that reads the `reuse` flag of a variable scope, where the
    flag may come from elsewhere than the tower, or is more than a condition. The program is left
    as it is. `is_chief = not tf.get_variable_scope().reuse` asks the replica instead (TFM216).

Why:
    Towers after the first were built with `reuse=True`; that a replica's scope has the same flag
    is an accident of TensorFlow's implementation and is not promised. The replica says which one
    it is: `tf.distribute.get_replica_context().replica_id_in_sync_group`.

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
    Where the flag only guards summaries, take the guard away: both replicas may write them.
    Otherwise say what only the first replica does, by its id, and run tfmigrate again.

Safety:
    Nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.replicate_model_fn.model_code import model_modules
from tfmigrate.families.replicate_model_fn.tower_questions import questions
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM207"
NAME = "chief-by-reuse"
SEVERITY = Severity.MANUAL
TARGET = "2.16"


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every read of a variable scope's reuse flag that TFM216 leaves."""
    for module, group in model_modules(program):
        for question in questions(module):
            if question.by_reuse and not question.edits:
                yield Draft(
                    code=CODE,
                    module=module,
                    node=question.node,
                    severity=SEVERITY,
                    message="variable reuse identifies the first tower",
                    action="use tf.distribute.get_replica_context().replica_id_in_sync_group == 0, "
                    "or take the guard away, and run tfmigrate again",
                    group=group,
                    blocks=True,
                )
