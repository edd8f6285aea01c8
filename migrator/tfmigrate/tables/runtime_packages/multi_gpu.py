"""tf.keras.utils.multi_gpu_model, which tfmigrate_runtime.multi_gpu has: a function, no package."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.keras.utils.multi_gpu_model",
    "tfmigrate_runtime.multi_gpu.multi_gpu_model",
    {"": frozenset()},
)
