"""tf.contrib.staging on TensorFlow 2: the class is in a module that is not public."""

from __future__ import annotations

from tensorflow.python.ops import data_flow_ops

__all__ = ["StagingArea"]

StagingArea = data_flow_ops.StagingArea
