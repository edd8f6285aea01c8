"""apply_gradients(zip(...)) dropped the gradients of all towers but the last.

What it does:
    Reports `optimizer.apply_gradients(zip(gradients, variables))` in a replicated model, and other
    iterators that can be read once (map, filter, a generator expression). With `--unsafe` the
    program is migrated as it stands, and every replica's gradients count.

Why:
    Under Python 3 `zip` gives an iterator that can be read once. TowerOptimizer kept it and read
    it again for every tower, so only the last tower's gradients were applied (semantics.md,
    1.9). A tf.distribute strategy adds up the gradients of all replicas, which is what the program
    says and its author meant.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          gradients, variables = zip(*optimizer.compute_gradients(loss))
          gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
          train_op = optimizer.apply_gradients(zip(gradients, variables))
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        model = tf.estimator.Estimator(replicated_fn)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def model_fn(features, labels, mode):
          loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
          optimizer = tf.train.AdamOptimizer()
          gradients, variables = zip(*optimizer.compute_gradients(loss))
          gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
          train_op = optimizer.apply_gradients(zip(gradients, variables))
          return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

        strategy = tf.distribute.MirroredStrategy()
        model = estimator.Estimator(
            model_fn,
            config=estimator.RunConfig(
                train_distribute=strategy, eval_distribute=strategy, global_batch=True))

What is left to you:
    Know that the numbers change: gradients were those of 1/N of the batch, scaled by 1/N; now
    they are those of the whole batch. Learning rates tuned to the old ones may have to be tuned
    again. To verify the migration, compare with the original changed to `list(zip(...))`.

Safety:
    Unsafe: the program trains better than before, that is, not as before.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.replicate_model_fn.model_code import (
    apply_gradients_calls,
    is_one_shot,
    model_modules,
)
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM205"
NAME = "apply-gradients-zip"
SEVERITY = Severity.UNSAFE
TARGET = "2.16"


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every apply_gradients that is given a one-shot iterator."""
    for module, group in model_modules(program):
        for call in apply_gradients_calls(module):
            if is_one_shot(module, argument(call, 0, "grads_and_vars")):
                yield Draft(
                    code=CODE,
                    module=module,
                    node=call,
                    severity=SEVERITY,
                    message="apply_gradients(zip(...)) applied the last tower's gradients only "
                    "(Python 3); migrated, those of all replicas count",
                    action="verify against the original with list(zip(...)); "
                    "learning rates may have to be tuned again",
                    group=group,
                    blocks=True,
                )
