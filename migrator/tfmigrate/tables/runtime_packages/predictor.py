"""What tfmigrate_runtime.predictor has of tf.contrib.predictor."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.predictor",
    "tfmigrate_runtime.predictor",
    {
        "": frozenset(
            {
                "from_estimator",
                "from_saved_model",
            }
        ),
        "predictor": frozenset({"Predictor"}),
    },
)
