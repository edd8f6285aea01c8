"""The replica_device_setter of a SyncReplicasOptimizer was not found.

What it does:
    Reports the SyncReplicasOptimizer. It stays, and the rest of the program is migrated.

Why:
    A synchronous program is converted where its variables are placed, at
    `tf.train.replica_device_setter`. If that is not in the files, or if an Estimator placed the
    variables, there is no block that can become a replica function.

Example:
    Before::

        import tensorflow as tf

        def train(loss, workers):
          opt = tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(), workers)
          return opt.minimize(loss, tf.train.get_or_create_global_step())

What is left to you:
    Nothing without an Estimator: the program runs as before. To get a strategy, run tfmigrate on
    the file with the device setter too. With an Estimator that trains on a cluster, remove
    SyncReplicasOptimizer and pass a `tf.distribute.MultiWorkerMirroredStrategy` as
    `train_distribute` to its RunConfig.

Safety:
    Kept: the rest of the program is migrated, and this stays as it is. compat.v1 still provides it:
    on TensorFlow 2 it trains as before, but not under tf.distribute.

    Manual with an Estimator: without a strategy, the runtime's Estimator places no variables on
    parameter servers. If TF_CONFIG describes a cluster, it raises an error with this advice.
"""

from tfmigrate.families.device_setter.synchrony import (
    construct_of_optimizer,
    files_around,
    modules_with_setters,
    synchrony,
)
from tfmigrate.families.tf1.is_tf1 import group_of, uses_estimator
from tfmigrate.resolve.cluster_calls import OPTIMIZERS
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.KEPT
KEPT_FOR_ESTIMATOR = True
OF_CLUSTERS = True

_ALL_FILES = "run tfmigrate on all files of the program"
_OF_ESTIMATOR = (
    "for training on a cluster, remove SyncReplicasOptimizer and pass a "
    "MultiWorkerMirroredStrategy to RunConfig"
)


def check(program: Program) -> Drafts:
    """Yields a draft for every optimizer whose program has no device setter."""
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
                yield drafted(
                    module,
                    call,
                    "SyncReplicasOptimizer without a replica_device_setter in the files of "
                    "its program",
                    _OF_ESTIMATOR if of_estimator else _ALL_FILES,
                    group="" if of_estimator else group_of(program, module),
                    blocks=not of_estimator,
                    construct="" if of_estimator else construct_of_optimizer(module),
                    severity=Severity.MANUAL if of_estimator else SEVERITY,
                )
