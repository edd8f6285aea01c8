"""Keras layers created one copy of their variables per tower.

What it does:
    Reports the first Keras layer or model in a file of a replicated model. With `--unsafe`, the
    program is migrated, and the replicas share the variables of the layers. This does not hold back
    a program that replicates its model only under a flag that is off by default: on one device it
    trains as before.

Why:
    Keras layers ignore the reuse of variable scopes: each tower trained its own copy of the model,
    initialized differently, on its own part of the batch, and only the first copy was used for
    evaluation (semantics.md, 1.20). Under a strategy the variables are mirrored.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          loss = tf.losses.mean_squared_error(labels, tf.keras.layers.Dense(1)(features))
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
        model = tf.estimator.Estimator(replicated_fn)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator

        def model_fn(features, labels, mode):
          loss = tf.losses.mean_squared_error(labels, tf.keras.layers.Dense(1)(features))
          optimizer = tf.train.AdamOptimizer()
          return estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))

        strategy = tf.distribute.MirroredStrategy()
        model = estimator.Estimator(
            model_fn,
            config=estimator.RunConfig(
                train_distribute=strategy, eval_distribute=strategy, global_batch=True))

What is left to you:
    Expect different results: the old ones came from N independent models. Old checkpoints contain
    both `dense/kernel` and `tower_1/dense_1/kernel`.

Safety:
    Unsafe: one model trains on the whole batch, instead of N models on a part of it each.
"""

from tfmigrate.families.replicate_model_fn.flag_defaults import on_one_device, replicated_by_flag
from tfmigrate.families.replicate_model_fn.model_code import model_modules
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.UNSAFE

_MAKE_VARIABLES = (
    "tensorflow.keras.layers", "tensorflow.keras.models", "tensorflow.keras.Sequential",
    "tensorflow.keras.Model", "tensorflow.keras.applications", "tensorflow.python.keras.layers",
    "tensorflow.python.keras.models",
)  # fmt: skip


def check(program: Program) -> Drafts:
    """Yields one draft for every file of a replicated model that uses Keras layers."""
    for module, group in model_modules(program):
        flag = program.once(replicated_by_flag, group)
        if uses := [u for u in module.uses if (u.qualified + ".").startswith(_PREFIXES)]:
            more = f" (and {len(uses) - 1} more)" if len(uses) > 1 else ""
            node = uses[0].node
            message = (
                f"Keras layers{more} created one copy of the model per tower; "
                "after migration, the replicas share one" + on_one_device(flag)
            )
            action = "expect different results: one model trains on the whole batch"
            yield drafted(module, node, message, action, group=group, blocks=not flag)


_PREFIXES = tuple(name + "." for name in _MAKE_VARIABLES)
