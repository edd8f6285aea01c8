"""tf.contrib.training.HParams becomes tfmigrate_runtime.training.HParams.

What it does:
    Replaces HParams and parse_values, in every form of import. Also replaces the strategies that
    choose a parameter server for each variable: GreedyLoadBalancingStrategy, RandomStrategy and
    byte_size_load_fn.

Why:
    TensorFlow 2.0 removed tf.contrib, without a replacement for HParams.

Example:
    Before::

        import tensorflow as tf

        def build(text, model_fn):
          hparams = tf.contrib.training.HParams(learning_rate=0.1, units=[64, 32])
          return tf.estimator.Estimator(model_fn, params=hparams.parse(text))

    After::

        from tfmigrate_runtime import estimator
        from tfmigrate_runtime import training

        def build(text, model_fn):
          hparams = training.HParams(learning_rate=0.1, units=[64, 32])
          return estimator.Estimator(model_fn, params=hparams.parse(text))

What is left to you:
    Nothing, unless TFM702 reports another name of tf.contrib.training.

Safety:
    Safe.
"""

from tfmigrate.families.tf1.renamed_package import renamed
from tfmigrate.rulekit.basics import Drafts, Joins, Program, Severity, Status
from tfmigrate.tables.runtime_api import TRAINING

SEVERITY = Severity.FIXED
JOINS = Joins.NAMES
SYMBOLS = dict.fromkeys((Status.RUNTIME, Status.GONE), ("tensorflow.contrib.training.HParams",))


def check(program: Program) -> Drafts:
    """Yields one draft for every file that uses HParams, with all its edits."""
    yield from renamed(program, TRAINING)
