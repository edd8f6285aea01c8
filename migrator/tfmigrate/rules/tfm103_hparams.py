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

from collections.abc import Iterator

from tfmigrate.families.tf1.renamed_package import renamed
from tfmigrate.model.findings import Severity
from tfmigrate.model.statuses import Status
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft, Joins
from tfmigrate.tables.runtime_api import TRAINING

CODE = "TFM103"
NAME = "hparams"
SEVERITY = Severity.FIXED
TARGET = "2.16"
JOINS = Joins.NAMES
SYMBOLS = dict.fromkeys((Status.RUNTIME, Status.GONE), ("tensorflow.contrib.training.HParams",))


def check(program: Program) -> Iterator[Draft]:
    """Yields one draft for every file that uses HParams, with all its edits."""
    yield from renamed(program, TRAINING, CODE)
