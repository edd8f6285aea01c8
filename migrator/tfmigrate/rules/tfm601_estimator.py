"""`tf.estimator` becomes `tfmigrate_runtime.estimator`.

What it does:
    Replaces the names of tf.estimator that the runtime has, in every form of import.

Why:
    TensorFlow 2.16 removed tf.estimator. The runtime trains an unchanged model function in graph
    mode under any tf.distribute strategy, writes the same checkpoints and event files, and calls
    the same hooks.

Example:
    Before::

        import tensorflow as tf

        def build(model_fn, model_dir):
          config = tf.estimator.RunConfig(save_checkpoints_steps=100)
          estimator = tf.estimator.Estimator(model_fn, model_dir, config)
          tf.logging.info('%s is ready', estimator)
          return estimator

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator as tf_estimator

        def build(model_fn, model_dir):
          config = tf_estimator.RunConfig(save_checkpoints_steps=100)
          estimator = tf_estimator.Estimator(model_fn, model_dir, config)
          tf.logging.info('%s is ready', estimator)
          return estimator

What is left to you:
    Names that the runtime does not have; TFM602 reports them.

Safety:
    Safe.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.tf1.renamed_package import renamed
from tfmigrate.model.findings import Severity
from tfmigrate.model.statuses import Status
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft
from tfmigrate.tables.runtime_api import ESTIMATOR

CODE = "TFM601"
NAME = "tf-estimator"
SEVERITY = Severity.FIXED
TARGET = "2.16"
KEPT_FOR_ESTIMATOR = True
SYMBOLS = {Status.RUNTIME: ("tensorflow.estimator",)}
MODULES = ("tensorflow.python.estimator",)


def check(program: Program) -> Iterator[Draft]:
    """Yields one draft for every file that uses tf.estimator, with all its edits."""
    yield from renamed(program, ESTIMATOR, CODE)
