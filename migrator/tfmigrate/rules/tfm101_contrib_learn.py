"""tf.contrib.learn becomes tfmigrate_runtime.learn.

What it does:
    Replaces the names of tf.contrib.learn that the runtime offers, however they were imported:
    Experiment, learn_runner, export strategies, ValidationMonitor.

Why:
    tf.contrib left TensorFlow with 2.0. The runtime's Experiment makes the same calls of train,
    evaluate and export at the same global steps: tf.estimator.train_and_evaluate would not
    evaluate the first checkpoint, nor a finished training, and has other delays.

Example:
    Before::

        import tensorflow as tf
        from tensorflow.contrib.learn.python.learn import learn_runner

        def experiment_fn(output_dir):
          return tf.contrib.learn.Experiment(
              tf.estimator.Estimator(model_fn, output_dir),
              train_input_fn=train_input_fn,
              eval_input_fn=eval_input_fn,
              train_steps=1000)

        learn_runner.run(experiment_fn, 'model', 'continuous_train_and_eval')

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import learn
        from tfmigrate_runtime import estimator
        from tfmigrate_runtime.learn import learn_runner

        def experiment_fn(output_dir):
          return learn.Experiment(
              estimator.Estimator(model_fn, output_dir),
              train_input_fn=train_input_fn,
              eval_input_fn=eval_input_fn,
              train_steps=1000)

        learn_runner.run(experiment_fn, 'model', 'continuous_train_and_eval')

What is left to you:
    Names that the runtime does not have are told by TFM702.

Safety:
    Safe. Where the original looked at the clock (it looks for new checkpoints every 5 s), so does
    the runtime.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.drafts import Draft
from tfmigrate.experiments import plans
from tfmigrate.findings import Severity
from tfmigrate.module import Module
from tfmigrate.program import Program
from tfmigrate.renamed_package import renamed
from tfmigrate.runtime_api import LEARN

CODE = "TFM101"
NAME = "contrib-learn"
SEVERITY = Severity.FIXED
TARGET = "2.16"


def check(program: Program) -> Iterator[Draft]:
    """Yields one draft for every file that uses tf.contrib.learn, with all its edits."""

    def going(module: Module) -> list[ast.expr]:
        return [node for plan in program.once(plans, module) for node in plan.replaced]

    yield from renamed(program, LEARN, CODE, going)
