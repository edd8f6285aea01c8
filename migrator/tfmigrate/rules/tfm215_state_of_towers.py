"""A TowerOptimizer is asked for the state of the towers.

What it does:
    Reports `optimizer._graph_state()` in code of a replicated model, and attributes of the class,
    such as `TowerOptimizer.has_been_used()`. The program is left as it is. Whether it is
    the last tower is asked of the replica instead (TFM216).

Why:
    The state told a tower which one it is. It belongs to TowerOptimizer, and the optimizer that
    takes its place has none. A replica says which one it is by
    `tf.distribute.get_replica_context().replica_id_in_sync_group`.

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
    Where the state only guards summaries or hooks, take the guard away. Otherwise say what one
    replica does, by its id, and run tfmigrate again.

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

CODE = "TFM215"
NAME = "state-of-towers"
SEVERITY = Severity.MANUAL
TARGET = "2.16"


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every place that asks, and that TFM216 leaves."""
    for module, group in model_modules(program):
        for question in questions(module):
            if not question.by_reuse and not question.edits:
                yield Draft(
                    code=CODE,
                    module=module,
                    node=question.node,
                    severity=SEVERITY,
                    message=f"`{question.node.attr}` asks a TowerOptimizer for the state of the "
                    "towers",
                    action="use tf.distribute.get_replica_context().replica_id_in_sync_group, or "
                    "take the question away, and run tfmigrate again",
                    group=group,
                    blocks=True,
                )
