"""What tfmigrate_runtime.eager has of tf.contrib.eager."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.eager",
    "tfmigrate_runtime.eager",
    {
        "": frozenset(
            {
                "ASYNC",
                "DEVICE_PLACEMENT_EXPLICIT",
                "DEVICE_PLACEMENT_SILENT",
                "DEVICE_PLACEMENT_WARN",
                "Iterator",
                "SYNC",
                "Saver",
                "Variable",
                "gradients_function",
                "implicit_gradients",
                "implicit_value_and_gradients",
                "list_devices",
                "metrics",
                "num_gpus",
                "value_and_gradients_function",
            }
        ),
        "metrics": frozenset(
            {"Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "Mean", "Metric"}
        ),
    },
)
