"""tf.contrib.staging."""

from __future__ import annotations

from tensorflow.python.ops import data_flow_ops

__all__ = [
    "StagingArea",
]

StagingArea = data_flow_ops.StagingArea
