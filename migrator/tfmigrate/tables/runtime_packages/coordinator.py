"""What tfmigrate_runtime.coordinator has, which replaces no package of TensorFlow 1.x."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "",
    "tfmigrate_runtime.coordinator",
    {
        "": frozenset(
            {
                "MonitoredTrainingSession",
                "ParameterServerStrategy",
                "Result",
                "Server",
                "Session",
                "Supervisor",
                "parameter_server_strategy",
            }
        )
    },
)
