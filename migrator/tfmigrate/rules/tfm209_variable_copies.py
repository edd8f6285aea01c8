"""tf.Variable made a copy for every tower.

What it does:
    Reports `tf.Variable(...)` in a replicated model. With `--unsafe` the program is migrated as
    it stands, and the replicas share one variable. A program that replicates its model only where a
    flag says so, which is off by default, does not wait for it: on one device it trains as before.

Why:
    Towers shared what `tf.get_variable` made. `tf.Variable` knows no reuse: each tower had its
    own copy, trained on its own part of the batch, and only the first was used for evaluation
    (semantics.md, 1.15). Under a strategy the variable is mirrored, as its author meant.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          weights = tf.Variable(tf.zeros([4, 1]), name='weights')
          loss = tf.losses.mean_squared_error(labels, tf.matmul(features, weights))
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        model = tf.estimator.Estimator(replicated_fn)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def model_fn(features, labels, mode):
          weights = tf.Variable(tf.zeros([4, 1]), name='weights')
          loss = tf.losses.mean_squared_error(labels, tf.matmul(features, weights))
          optimizer = tf.train.AdamOptimizer()
          return estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        strategy = tf.distribute.MirroredStrategy()
        model = estimator.Estimator(
            model_fn,
            config=estimator.RunConfig(
                train_distribute=strategy, eval_distribute=strategy, global_batch=True))

What is left to you:
    Know that old checkpoints hold `weights` and `tower_1/weights`; the first is restored.

Safety:
    Unsafe: one model is trained on the whole batch instead of N on a part of it each.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.replicate_model_fn.flag_defaults import on_one_device, replicated_by_flag
from tfmigrate.families.replicate_model_fn.model_code import (
    model_modules,
    runs_a_session,
    within_function,
)
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM209"
NAME = "variable-copies"
SEVERITY = Severity.UNSAFE
TARGET = "2.16"


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every tf.Variable made in a function of a replicated model."""
    for module, group in model_modules(program):
        flag = program.once(replicated_by_flag, group)
        for call in module.calls_of("tensorflow.Variable"):
            if within_function(module, call) and not runs_a_session(module, call):
                yield Draft(
                    code=CODE,
                    module=module,
                    node=call,
                    severity=SEVERITY,
                    message="tf.Variable made a copy for every tower, trained on its part of the "
                    "batch; migrated, the replicas share one" + on_one_device(flag),
                    action="expect other numbers: one model learns from the whole batch",
                    group=group,
                    blocks=not flag,
                )
