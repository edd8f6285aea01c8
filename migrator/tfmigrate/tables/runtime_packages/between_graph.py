"""What tfmigrate_runtime.between_graph has: it replaces functions of tf.train."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "",
    "tfmigrate_runtime.between_graph",
    {
        "": frozenset(
            {
                "MonitoredTrainingSession",
                "Server",
                "Supervisor",
                "SyncReplicasOptimizer",
                "multi_worker_mirrored_strategy",
                "parameter_server_strategy",
                "strategy",
            }
        )
    },
)
