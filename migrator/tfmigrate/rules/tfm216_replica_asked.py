"""A question which tower this is -> the number of the replica.

What it does:
    In a replicated model, `not tf.get_variable_scope().reuse` (the first tower) and
    `optimizer._graph_state().is_the_last_tower` become a comparison of the replica's number,
    `tf.distribute.get_replica_context().replica_id_in_sync_group`.

Why:
    Towers after the first were built with `reuse=True`, and a TowerOptimizer counted the towers.
    Replicas of tf.distribute have numbers.

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
    Nothing. A guard around summaries alone can be taken away: only the first replica writes
    summaries. Where the last tower wrote them, the first replica does.

Safety:
    Safe: one replica answers yes, as one tower did.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.replicate_model_fn.model_code import model_modules
from tfmigrate.families.replicate_model_fn.tower_questions import questions
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM216"
NAME = "replica-asked"
SEVERITY = Severity.FIXED
TARGET = "2.16"


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every question that a replica can answer."""
    for module, group in model_modules(program):
        for question in questions(module):
            if question.edits:
                which = "first" if question.by_reuse else "last"
                yield Draft(
                    code=CODE,
                    module=module,
                    node=question.node,
                    severity=SEVERITY,
                    message=f"whether this is the {which} tower -> the number of the replica",
                    edits=question.edits,
                    group=group,
                )
