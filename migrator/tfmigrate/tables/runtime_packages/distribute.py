"""What tfmigrate_runtime.distribute has of tf.contrib.distribute."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.distribute",
    "tfmigrate_runtime.distribute",
    {
        "": frozenset(
            {
                "AllReduceCrossDeviceOps",
                "AllReduceCrossTowerOps",
                "CollectiveAllReduceStrategy",
                "CrossDeviceOps",
                "CrossTowerOps",
                "DistributeConfig",
                "DistributionStrategy",
                "MirroredStrategy",
                "Monitor",
                "OneDeviceStrategy",
                "ParameterServerStrategy",
                "ReductionToOneDeviceCrossDeviceOps",
                "ReductionToOneDeviceCrossTowerOps",
                "ReplicaContext",
                "StandardInputStep",
                "StandardSingleLossStep",
                "Step",
                "TowerContext",
                "get_cross_replica_context",
                "get_cross_tower_context",
                "get_distribution_strategy",
                "get_loss_reduction",
                "get_replica_context",
                "get_strategy",
                "get_tower_context",
                "has_distribution_strategy",
                "has_strategy",
                "in_cross_replica_context",
                "require_replica_context",
                "require_tower_context",
            }
        )
    },
)
