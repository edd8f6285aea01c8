"""A SyncReplicasOptimizer whose device setter is not in the files.

What it does:
    Reports it. The optimizer stays, the rest of the program is migrated.

Why:
    What a synchronous program becomes is decided where its variables were placed, by
    `tf.train.replica_device_setter`. Where that is not among the files, or where an Estimator
    placed them, there is no block to make a replica function of.

Example:
    Before::

        import tensorflow as tf

        def train(loss, workers):
          opt = tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(), workers)
          return opt.minimize(loss, tf.train.get_or_create_global_step())

What is left to you:
    Nothing without an Estimator: the program runs as before. To get a strategy, give tfmigrate the
    file with the device setter too. With an Estimator that trains in a cluster, take the
    wrapper of the optimizer away, and pass a `tf.distribute.MultiWorkerMirroredStrategy` as
    `train_distribute` to its RunConfig.

Safety:
    Kept: the rest of the program is migrated, and this stays as it is. compat.v1 has it still,
    where it trains as before on TensorFlow 2, but not under tf.distribute.
    Manual with an Estimator: that of the runtime places no variables on parameter servers without
    a strategy. Where TF_CONFIG describes a cluster it raises an error that says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfmigrate.families.device_setter.synchrony import (
    construct_of_optimizer,
    files_around,
    modules_with_setters,
    synchrony,
)
from tfmigrate.families.tf1.is_tf1 import group_of, uses_estimator
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.cluster_calls import OPTIMIZERS
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft

CODE = "TFM308"
NAME = "sync-without-setter"
SEVERITY = Severity.KEPT
TARGET = "2.16"
KEPT_FOR_ESTIMATOR = True


def check(program: Program) -> Iterator[Draft]:
    """Yields a draft for every optimizer of no program with a device setter."""
    planned = {
        call
        for module in program.once(modules_with_setters)
        for _, call in program.once(synchrony, module).optimizers
    }
    for module in program.mentioning("SyncReplicasOptimizer"):
        for call in module.calls_of(*OPTIMIZERS):
            if call not in planned:
                # The runtime's Estimator places no variables by itself.
                of_estimator = any(map(uses_estimator, files_around(program, module)))
                yield Draft(
                    code=CODE,
                    module=module,
                    node=call,
                    severity=Severity.MANUAL if of_estimator else SEVERITY,
                    message="the program of this SyncReplicasOptimizer has no "
                    "replica_device_setter in the files",
                    action="run tfmigrate on the whole program; with an Estimator in a cluster "
                    "take the wrapper away and give RunConfig a MultiWorkerMirroredStrategy",
                    group="" if of_estimator else group_of(program, module),
                    blocks=not of_estimator,
                    construct="" if of_estimator else construct_of_optimizer(module),
                )
