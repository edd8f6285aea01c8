"""apply_gradients(zip(...)) applied only the last tower's gradients.

What it does:
    Reports `optimizer.apply_gradients(zip(gradients, variables))` in a replicated model, and other
    iterators that can be read only once (map, filter, a generator expression). With `--unsafe`, the
    program is migrated, and the gradients of all replicas are applied.

Why:
    In Python 3, `zip` returns an iterator that can be read only once. TowerOptimizer kept it and
    read it again for every tower, so only the last tower's gradients were applied
    (semantics.md, 1.9). A tf.distribute strategy sums the gradients of all replicas, as the
    code says and its author intended.

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
    Expect different results: the gradients were those of 1/N of the batch, scaled by 1/N; now they
    are those of the whole batch. You may have to tune the learning rate again. To verify the
    migration, change the original to `list(zip(...))` and compare with that.

Safety:
    Unsafe: the program now trains on all gradients, so its results differ.
"""

from tfmigrate.families.replicate_model_fn import model_code
from tfmigrate.resolve.calls import argument
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.UNSAFE


def check(program: Program) -> Drafts:
    """Yields a draft for every apply_gradients on a one-shot iterator."""
    for module, group in model_code.model_modules(program):
        for call in model_code.apply_gradients_calls(module):
            if model_code.is_one_shot(module, argument(call, 0, "grads_and_vars")):
                yield drafted(
                    module,
                    call,
                    "apply_gradients(zip(...)) applied only the last tower's gradients "
                    "(Python 3); after migration, it applies those of all replicas",
                    "verify against the original with `list(zip(...))`; "
                    "tune the learning rate again if needed",
                    group=group,
                    blocks=True,
                )
