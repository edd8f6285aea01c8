"""SyncReplicasOptimizerV2 has a different name since TensorFlow 1.0.

What it does:
    Renames `tf.train.SyncReplicasOptimizerV2` in a program that keeps its optimizer (TFM304,
    TFM307, TFM308).

Why:
    Since TensorFlow 1.0 the class has been called `tf.train.SyncReplicasOptimizer`, also in
    compat.v1. Its arguments are the same.

Example:
    Before::

        import tensorflow as tf

        def wrap(opt, workers):
          return tf.train.SyncReplicasOptimizerV2(opt, workers)

    After::

        import tensorflow.compat.v1 as tf

        def wrap(opt, workers):
          return tf.train.SyncReplicasOptimizer(opt, workers)

What is left to you:
    Nothing.

Safety:
    Safe: it is the same class.
"""

from tfmigrate.families.device_setter.synchrony import construct_of_optimizer, files_of_programs
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.resolve.cluster_calls import OPTIMIZERS
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted
from tfmigrate.rulekit.tensorflow_import import tensorflow_import, tensorflow_name

SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True

_NEW, _OLD = OPTIMIZERS[:2]


def check(program: Program) -> Drafts:
    """Yields a draft for every use of the old name that no strategy replaces."""
    modules = program.mentioning(_OLD.rpartition(".")[2])
    planned = {m: group_of(program, c) for c, m in files_of_programs(program)} if modules else {}
    for module in modules:
        for use in module.uses_of(_OLD):
            new = Code(_NEW.replace("tensorflow", tensorflow_name(module, use.node), 1))
            yield drafted(
                module,
                use.node,
                "tf.train.SyncReplicasOptimizerV2 -> tf.train.SyncReplicasOptimizer",
                edits=[ReplaceExpression(use.node, new), *tensorflow_import(module, use.node)],
                group=group_of(program, module),
                construct=planned.get(module) or construct_of_optimizer(module),
                fallback=True,
            )
