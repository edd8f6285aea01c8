"""With --target estimator, moving averages are updated once a step, not once per tower.

What it does:
    With `--target estimator`, reports UPDATE_OPS and moving averages in a replicated model. The
    program is migrated only with `--unsafe`.

Why:
    Each tower updated the shared moving average: N updates a step, in an undefined order
    (semantics.md, 1.11). A tf.distribute strategy updates it once, with the mean over its
    replicas. tfmigrate's runtime updates it as the towers did; tf.estimator cannot.

Example:
    Before (with --target estimator)::

        import tensorflow as tf
        from model import network, loss_of

        def model_fn(features, labels, mode):
          loss = loss_of(network(features), labels)
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_op = optimizer.minimize(loss, tf.train.get_global_step())
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

        classifier = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(model_fn))
        classifier.train(input_fn=lambda: tf.data.Dataset.range(8).batch(4))

    After (with --target estimator)::

        import inspect

        import tensorflow.compat.v1 as tf
        from model import network, loss_of

        def split_batches(input_fn):
          \"\"\"Returns an input_fn that splits each batch into one part per replica.\"\"\"
          bound = getattr(input_fn, 'keywords', ())  # set by functools.partial
          taken = set(inspect.signature(input_fn).parameters) - set(bound)

          def split_input_fn(mode, params, config):
            given = dict(mode=mode, params=params, config=config)
            dataset = input_fn(**dict((name, given[name]) for name in given if name in taken))
            train = mode == tf.estimator.ModeKeys.TRAIN
            strategy = config.train_distribute if train else config.eval_distribute
            if strategy is None:
              return dataset

            def part(rows):
              sparse = isinstance(rows, tf.SparseTensor)
              shape = tf.shape(rows, out_type=tf.int64)
              shape = tf.concat([[strategy.num_replicas_in_sync, -1], shape[1:]], axis=0)
              return tf.sparse.reshape(rows, shape) if sparse else tf.reshape(rows, shape)

            def parts(*batch):
              batch = tf.nest.map_structure(part, batch)
              batch = batch if isinstance(dataset.element_spec, tuple) else batch[0]
              return tf.data.Dataset.from_tensor_slices(batch)

            return dataset.flat_map(parts)

          return split_input_fn

        def model_fn(features, labels, mode):
          loss = loss_of(network(features), labels)
          optimizer = tf.train.AdamOptimizer()
          with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_op = optimizer.minimize(loss, tf.train.get_global_step())
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

        strategy = tf.distribute.MirroredStrategy(
            cross_device_ops=tf.distribute.ReductionToOneDevice())
        classifier = tf.estimator.Estimator(
            model_fn,
            config=tf.estimator.RunConfig(
                train_distribute=strategy, eval_distribute=strategy))
        classifier.train(input_fn=split_batches(lambda: tf.data.Dataset.range(8).batch(4)))

What is left to you:
    Replace `momentum` with `momentum ** N` in the model, where N is the number of replicas. The
    result is the mean over the possible orders of the towers' updates.

Safety:
    Unsafe: losses and weights train as before, but moving averages, and evaluations that use them,
    differ (target_estimator.md).
"""

from tfmigrate.families.replicate_model_fn.model_code import model_modules, within_function
from tfmigrate.model.targets import ESTIMATOR
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.UNSAFE
TARGET = ESTIMATOR

_UPDATES = ("tensorflow.GraphKeys.UPDATE_OPS", "tensorflow.train.ExponentialMovingAverage")


def check(program: Program) -> Drafts:
    """Yields a draft for every update of moving averages in a replicated model."""
    for module, group in model_modules(program):
        for use in module.uses_of(*_UPDATES):
            if within_function(module, use.node):
                node = use.node
                message = (
                    "every tower updated the moving averages in each step; "
                    "tf.estimator's strategy updates them once, with the mean"
                )
                action = "replace `momentum` with `momentum ** N`, for N replicas"
                yield drafted(module, node, message, action, group=group, blocks=True)
