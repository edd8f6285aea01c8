"""tf.contrib.layers becomes tfmigrate_runtime.layers.

What it does:
    Replaces the layers, initializers, regularizers, summaries and optimize_loss of
    tf.contrib.layers, in every form of import.

Why:
    TensorFlow 2.0 removed tf.contrib. tf_slim still has its layers, but does not run unchanged on
    current TensorFlow; the runtime makes it work. optimize_loss is the runtime's own.

Example:
    Before::

        import tensorflow as tf

        def model_fn(features, labels, mode):
          output = tf.contrib.layers.fully_connected(features, 1, activation_fn=None)
          loss = tf.losses.mean_squared_error(labels, output)
          train_op = tf.contrib.layers.optimize_loss(
              loss, tf.train.get_global_step(), learning_rate=0.1, optimizer='SGD')
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator
        from tfmigrate_runtime import layers

        def model_fn(features, labels, mode):
          output = layers.fully_connected(features, 1, activation_fn=None)
          loss = tf.losses.mean_squared_error(labels, output)
          train_op = layers.optimize_loss(
              loss, tf.train.get_global_step(), learning_rate=0.1, optimizer='SGD')
          return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

What is left to you:
    Sequence columns, scattered embeddings and target columns have no equivalent; TFM702 reports
    them.

Safety:
    Safe.
"""

from tfmigrate.families.tf1.renamed_package import renamed
from tfmigrate.rulekit.basics import Drafts, Joins, Program, Severity, Status
from tfmigrate.tables.runtime_api import LAYERS

SEVERITY = Severity.FIXED
JOINS = Joins.NAMES
SYMBOLS = {Status.RUNTIME: ("tensorflow.contrib.layers",)}


def check(program: Program) -> Drafts:
    """Yields one draft for every file that uses tf.contrib.layers, with all its edits."""
    yield from renamed(program, LAYERS)
