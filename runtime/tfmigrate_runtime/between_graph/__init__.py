"""Between-graph training: every worker builds the graph and runs its own session.

What takes the place of ``tf.train.replica_device_setter`` and ``tf.train.SyncReplicasOptimizer``.
"""

from tfmigrate_runtime.between_graph.monitored_session import MonitoredTrainingSession
from tfmigrate_runtime.between_graph.server import Server
from tfmigrate_runtime.between_graph.strategies import (
    multi_worker_mirrored_strategy,
    parameter_server_strategy,
    strategy,
)
from tfmigrate_runtime.between_graph.supervisor import Supervisor
from tfmigrate_runtime.between_graph.sync_replicas import SyncReplicasOptimizer
from tfmigrate_runtime.estimator.cluster import PeerLostError

__all__ = [
    "MonitoredTrainingSession",
    "PeerLostError",
    "Server",
    "Supervisor",
    "SyncReplicasOptimizer",
    "multi_worker_mirrored_strategy",
    "parameter_server_strategy",
    "strategy",
]
