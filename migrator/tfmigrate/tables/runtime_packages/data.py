"""What tfmigrate_runtime.data has of tf.contrib.data, in addition to what the core has."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.data",
    "tfmigrate_runtime.data",
    {
        "": frozenset(
            {
                "PrivateThreadPool",
                "assert_element_shape",
                "batch_and_drop_remainder",
                "override_threadpool",
                "padded_batch_and_drop_remainder",
                "read_batch_features",
                "reduce_dataset",
                "sliding_window_batch",
                "sloppy_interleave",
            }
        )
    },
)
