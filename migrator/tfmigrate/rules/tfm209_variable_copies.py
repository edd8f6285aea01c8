"""tf.Variable created one copy per tower.

What it does:
    Reports `tf.Variable(...)` in a replicated model. With `--unsafe`, the program is migrated, and
    the replicas share one variable. This does not hold back a program that replicates its model
    only under a flag that is off by default: on one device it trains as before.

Why:
    Towers shared the variables of `tf.get_variable`. `tf.Variable` ignores reuse: each tower had
    its own copy, trained on its own part of the batch, and only the first copy was used for
    evaluation (semantics.md, 1.15). Under a strategy the variable is mirrored, as the author
    most likely intended.

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
    Expect different results. Old checkpoints contain `weights` and `tower_1/weights`; the first one
    is restored.

Safety:
    Unsafe: one model trains on the whole batch, instead of N models on a part of it each.
"""

from tfmigrate.families.replicate_model_fn.flag_defaults import on_one_device, replicated_by_flag
from tfmigrate.families.replicate_model_fn.model_code import (
    model_modules,
    runs_a_session,
    within_function,
)
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.UNSAFE


def check(program: Program) -> Drafts:
    """Yields a draft for every tf.Variable made in a function of a replicated model."""
    for module, group in model_modules(program):
        flag = program.once(replicated_by_flag, group)
        for call in module.calls_of("tensorflow.Variable"):
            if within_function(module, call) and not runs_a_session(module, call):
                yield drafted(
                    module,
                    call,
                    "tf.Variable created one copy per tower, each trained on its part of "
                    "the batch; after migration, the replicas share one" + on_one_device(flag),
                    "expect different results: one model trains on the whole batch",
                    group=group,
                    blocks=not flag,
                )
