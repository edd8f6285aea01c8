"""What tfmigrate_runtime.graphs has, which replaces no package of TensorFlow 1.x."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "",
    "tfmigrate_runtime.graphs",
    {
        "": frozenset(
            {
                "InteractiveRunner",
                "MonitoredRunner",
                "MonitoredSessionRunner",
                "Runner",
                "Server",
                "SessionManager",
                "SingularMonitoredRunner",
                "Supervisor",
            }
        )
    },
)
