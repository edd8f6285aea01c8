"""tf.contrib.distribute on TensorFlow 2.

The strategies are those of ``tf.compat.v1.distribute``, with the arguments that tf.contrib's took
and with its meaning of a batch: that of one replica, in an Estimator as in a loop of one's own
(contrib_distribute.md)::

    from tfmigrate_runtime import distribute

    strategy = distribute.MirroredStrategy(num_gpus=2)
    iterator = strategy.make_dataset_iterator(dataset.batch(32))  # 64 examples a step

Names of TensorFlow 1.8 to 1.12 (``AllReduceCrossTowerOps``, ``get_tower_context``,
``strategy.call_for_each_tower``) are here next to those of 1.13 to 1.15 that took their place.
"""

from typing import Any

from tfmigrate_runtime.train.monitor import Monitor
from tfmigrate_runtime.distribute.cluster_strategies import (
    CollectiveAllReduceStrategy,
    ParameterServerStrategy,
)
from tfmigrate_runtime.distribute.contexts import (
    DistributionStrategy, ReplicaContext, TowerContext, get_cross_replica_context,
    get_cross_tower_context, get_distribution_strategy, get_loss_reduction, get_replica_context,
    get_strategy, get_tower_context, has_distribution_strategy, has_strategy,
    in_cross_replica_context, require_replica_context, require_tower_context,
)  # fmt: skip
from tfmigrate_runtime.distribute.distribute_config import DistributeConfig
from tfmigrate_runtime.distribute.local_strategies import MirroredStrategy, OneDeviceStrategy
from tfmigrate_runtime.distribute.reductions import (
    AllReduceCrossDeviceOps, AllReduceCrossTowerOps, CrossDeviceOps, CrossTowerOps,
    ReductionToOneDeviceCrossDeviceOps, ReductionToOneDeviceCrossTowerOps,
)  # fmt: skip
from tfmigrate_runtime.distribute.steps import StandardInputStep, StandardSingleLossStep, Step
from tfmigrate_runtime.train import quiet as quiet  # silences deprecation notices

__all__ = [
    "AllReduceCrossDeviceOps", "AllReduceCrossTowerOps", "CollectiveAllReduceStrategy",
    "CrossDeviceOps", "CrossTowerOps", "DistributeConfig", "DistributionStrategy",
    "MirroredStrategy", "Monitor", "OneDeviceStrategy", "ParameterServerStrategy",
    "ReductionToOneDeviceCrossDeviceOps", "ReductionToOneDeviceCrossTowerOps", "ReplicaContext",
    "StandardInputStep", "StandardSingleLossStep", "Step", "TowerContext",
    "get_cross_replica_context", "get_cross_tower_context", "get_distribution_strategy",
    "get_loss_reduction", "get_replica_context", "get_strategy", "get_tower_context",
    "has_distribution_strategy", "has_strategy", "in_cross_replica_context",
    "require_replica_context", "require_tower_context",
]  # fmt: skip

_INSTEAD = {
    "MultiWorkerAllReduce": "CollectiveAllReduceStrategy, which reduces over workers by itself",
    "TPUStrategy": "tf.distribute.TPUStrategy of TensorFlow 2, in an eager program",
    "initialize_tpu_system": "tf.tpu.experimental.initialize_tpu_system of TensorFlow 2",
    "UpdateContext": "strategy.extended.update, which enters one by itself",
    "run_standard_tensorflow_server": "tf.distribute.Server(...).join()",
}


def __getattr__(name: str) -> Any:
    """Returns what to use where tf.contrib.distribute has a name that there is no equivalent of."""
    if name in _INSTEAD:
        raise AttributeError(
            f"tf.contrib.distribute.{name} has no equivalent in {__name__}: use {_INSTEAD[name]}"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
