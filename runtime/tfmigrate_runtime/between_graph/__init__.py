"""Between-graph training: every worker builds the graph and runs its own session.

What replaces ``tf.train.replica_device_setter`` and ``tf.train.SyncReplicasOptimizer``.
"""

from tfmigrate_runtime.between_graph.default_placement import Session
from tfmigrate_runtime.between_graph.monitored_session import MonitoredTrainingSession
from tfmigrate_runtime.between_graph.server import Server
from tfmigrate_runtime.between_graph.strategies import (
    multi_worker_mirrored_strategy,
    parameter_server_strategy,
    strategy,
)
from tfmigrate_runtime.between_graph.supervisor import Supervisor
from tfmigrate_runtime.between_graph.sync_replicas import SyncReplicasOptimizer
from tfmigrate_runtime.train import quiet as quiet  # silences deprecation notices
from tfmigrate_runtime.train.device_setter import (
    GreedyLoadBalancingStrategy,
    RandomStrategy,
    byte_size_load_fn,
)
from tfmigrate_runtime.train.peers import PeerLostError

__all__ = [
    "GreedyLoadBalancingStrategy", "MonitoredTrainingSession", "PeerLostError", "RandomStrategy",
    "Server", "Session", "Supervisor", "SyncReplicasOptimizer", "byte_size_load_fn",
    "multi_worker_mirrored_strategy", "parameter_server_strategy", "strategy",
]  # fmt: skip
