"""SyncReplicasOptimizerV2 has a different name in compat.v1.

What it does:
    Reports `tf.train.SyncReplicasOptimizerV2` in a program that keeps its optimizer (TFM304,
    TFM307, TFM308).

Why:
    Since TensorFlow 1.0 the class has been called `tf.train.SyncReplicasOptimizer`, also in
    compat.v1.

Example:
    Before::

        import tensorflow as tf

        def wrap(opt, workers):
          return tf.train.SyncReplicasOptimizerV2(opt, workers)

What is left to you:
    Use the new name, with the same arguments.

Safety:
    Nothing is changed.
"""

from tfmigrate.families.device_setter.synchrony import construct_of_optimizer, files_of_programs
from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.resolve.cluster_calls import OPTIMIZERS
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.MANUAL
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True

_OLD = OPTIMIZERS[1]


def check(program: Program) -> Drafts:
    """Yields a draft for every use of the old name that no strategy replaces."""
    modules = program.mentioning(_OLD.rpartition(".")[2])
    planned = {m: group_of(program, c) for c, m in files_of_programs(program)} if modules else {}
    for module in modules:
        for use in module.uses_of(_OLD):
            yield drafted(
                module,
                use.node,
                "tf.train.SyncReplicasOptimizerV2 does not exist in TensorFlow 2",
                "use tf.train.SyncReplicasOptimizer with the same arguments",
                group=group_of(program, module),
                construct=planned.get(module) or construct_of_optimizer(module),
                fallback=True,
            )
