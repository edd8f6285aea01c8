"""What tfmigrate_runtime.tfprof has of tf.contrib.tfprof."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.tfprof",
    "tfmigrate_runtime.tfprof",
    {
        "": frozenset(),
        "model_analyzer": frozenset(
            {
                "FLOAT_OPS_OPTIONS",
                "PRINT_ALL_TIMING_MEMORY",
                "Profiler",
                "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
                "advise",
                "print_model_analysis",
            }
        ),
        "tfprof_logger": frozenset(
            {
                "write_op_log",
            }
        ),
    },
)
