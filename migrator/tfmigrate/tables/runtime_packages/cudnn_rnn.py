"""What tfmigrate_runtime.cudnn_rnn has of tf.contrib.cudnn_rnn."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.cudnn_rnn",
    "tfmigrate_runtime.cudnn_rnn",
    {"": frozenset({"CudnnCompatibleGRUCell", "CudnnCompatibleLSTMCell"})},
)
