"""replicate_model_fn becomes a tf.distribute strategy; the batch stays global.

What it does:
    Removes `tf.contrib.estimator.replicate_model_fn` from around the model function, creates a
    `tf.distribute.MirroredStrategy` for the same devices, and passes it to every Estimator built
    from the wrapped function, through its RunConfig.

Why:
    TensorFlow 2.0 removed tf.contrib. `replicate_model_fn` split the input function's batch over
    its devices; tf.estimator's `train_distribute` takes a whole batch for each of them.
    `global_batch=True` keeps the split: without it, the migrated program would train on N times as
    many examples a step. Gradients and losses are scaled by 1/N as before. `loss_reduction` is kept
    if it was SUM, which does not scale.

Example:
    Before::

        import tensorflow as tf
        from model import model_fn

        def main(devices, input_fn):
          replicated_fn = tf.contrib.estimator.replicate_model_fn(
              model_fn, loss_reduction=tf.losses.Reduction.MEAN, devices=devices)
          optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
          classifier = tf.estimator.Estimator(model_fn=replicated_fn)
          classifier.train(input_fn)

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator
        from model import model_fn

        def main(devices, input_fn):
          strategy = tf.distribute.MirroredStrategy(devices)
          optimizer = tf.train.AdamOptimizer()
          classifier = estimator.Estimator(
              model_fn=model_fn,
              config=estimator.RunConfig(
                  train_distribute=strategy,
                  eval_distribute=strategy,
                  global_batch=True))
          classifier.train(input_fn)

What is left to you:
    Nothing. A wrapper under a condition (`if FLAGS.multi_gpu:`, or a conditional expression) keeps
    its condition: where it is false, the strategy is None.

Safety:
    Safe: losses and variables equal those of TensorFlow 1.15 (verification.md).
"""

import ast

from tfmigrate.families.replicate_model_fn.estimator_sites import WrapperPlan
from tfmigrate.families.replicate_model_fn.family import references, removed_imports
from tfmigrate.rulekit.basics import Drafts, Module, Program, Refusal, Severity, Status, drafted
from tfmigrate.rulekit.runtime_import import runtime_import
from tfmigrate.rulekit.tensorflow_import import tensorflow_import, tensorflow_name
from tfmigrate.tables.family_names import WRAPPER
from tfmigrate.tables.runtime_api import ESTIMATOR

SEVERITY = Severity.FIXED
SYMBOLS = dict.fromkeys(
    (Status.RUNTIME, Status.GONE), ("tensorflow.contrib.estimator.replicate_model_fn",)
)


def check(program: Program) -> Drafts:
    """Yields a draft for every replicate_model_fn that can be followed to its Estimators."""
    for module, group in program.groups.items():
        for call in references(module, WRAPPER).calls:
            plan = plan_or_refusal(program, module, call)
            if isinstance(plan, Refusal):
                continue
            edits = [*plan.edits, *tensorflow_import(module, call.func)]
            if not program.estimator:
                edits += runtime_import(module, ESTIMATOR, call)
            yield drafted(
                module,
                call,
                "replicate_model_fn -> tf.distribute.MirroredStrategy, global batch kept",
                edits=(*edits, *removed_imports(module)),
                group=group,
            )


def plan_or_refusal(program: Program, module: Module, call: ast.Call) -> WrapperPlan | Refusal:
    """Returns the plan for one wrapper, or the reason why there is none (TFM203)."""
    try:
        return WrapperPlan(program, module, call, tensorflow_name(module, call.func))
    except Refusal as refusal:
        return refusal
