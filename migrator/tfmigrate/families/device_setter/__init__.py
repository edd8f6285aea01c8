"""replica_device_setter, SyncReplicasOptimizer, the coordinator."""
