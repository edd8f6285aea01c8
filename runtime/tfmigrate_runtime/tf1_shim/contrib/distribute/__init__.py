"""``tf.contrib.distribute``: the strategies of TensorFlow 1.x on those of compat.v1.

===================== ========================================================================
module                what it holds
===================== ========================================================================
``strategies``        MirroredStrategy and the strategies of clusters, with contrib's arguments
``reductions``        how values of replicas are added up
``monitor``           runs a step until its input ends
===================== ========================================================================

Names of TensorFlow 1.8 to 1.12, which 1.15 had no more, are next to those that took their place.
"""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_distribute import (
    DistributeConfig,
    StandardInputStep,
    StandardSingleLossStep,
    Step,
    require_replica_context,
    run_standard_tensorflow_server,
)
from tfmigrate_runtime.tf1_shim.contrib.distribute.monitor import Monitor
from tfmigrate_runtime.tf1_shim.contrib.distribute.reductions import (
    AllReduceCrossDeviceOps,
    MultiWorkerAllReduce,
)
from tfmigrate_runtime.tf1_shim.contrib.distribute.strategies import (
    CollectiveAllReduceStrategy,
    MirroredStrategy,
    OneDeviceStrategy,
    ParameterServerStrategy,
    all_local_devices,
)

CrossDeviceOps = tf.distribute.CrossDeviceOps
ReductionToOneDeviceCrossDeviceOps = tf.distribute.ReductionToOneDevice
DistributionStrategy = tf.distribute.Strategy
DistributionStrategyExtended = tf.distribute.StrategyExtended
ReplicaContext = tf.distribute.ReplicaContext
get_loss_reduction = tf.distribute.get_loss_reduction
get_replica_context = tf.distribute.get_replica_context
get_strategy = tf.distribute.get_strategy
has_strategy = tf.distribute.has_strategy
in_cross_replica_context = tf.distribute.in_cross_replica_context
get_distribution_strategy = get_strategy
has_distribution_strategy = has_strategy

# As they were called up to TensorFlow 1.12.
AllReduceCrossTowerOps = AllReduceCrossDeviceOps
CrossTowerOps = CrossDeviceOps
ReductionToOneDeviceCrossTowerOps = ReductionToOneDeviceCrossDeviceOps
TowerContext = ReplicaContext
get_tower_context = get_replica_context
require_tower_context = require_replica_context


def get_cross_replica_context() -> tf.distribute.Strategy | None:
    """Returns the strategy outside of its replicas, None within one (tf.distribute of 1.15)."""
    return get_strategy() if in_cross_replica_context() else None


get_cross_tower_context = get_cross_replica_context

__all__ = [
    "AllReduceCrossDeviceOps", "AllReduceCrossTowerOps", "CollectiveAllReduceStrategy",
    "CrossDeviceOps", "CrossTowerOps", "DistributeConfig", "DistributionStrategy",
    "DistributionStrategyExtended", "MirroredStrategy", "Monitor", "MultiWorkerAllReduce",
    "OneDeviceStrategy", "ParameterServerStrategy", "ReductionToOneDeviceCrossDeviceOps",
    "ReductionToOneDeviceCrossTowerOps", "ReplicaContext", "StandardInputStep",
    "StandardSingleLossStep", "Step", "TowerContext", "all_local_devices",
    "get_cross_replica_context", "get_cross_tower_context", "get_distribution_strategy",
    "get_loss_reduction", "get_replica_context", "get_strategy", "get_tower_context",
    "has_distribution_strategy", "has_strategy", "in_cross_replica_context",
    "require_replica_context", "require_tower_context", "run_standard_tensorflow_server",
]  # fmt: skip
