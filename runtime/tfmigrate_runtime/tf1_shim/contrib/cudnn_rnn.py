"""tf.contrib.cudnn_rnn: the cells that replace cuDNN's networks on CPUs."""

from __future__ import annotations

from tfmigrate_runtime import cudnn_rnn

__all__ = ["CudnnCompatibleGRUCell", "CudnnCompatibleLSTMCell"]

CudnnCompatibleGRUCell = cudnn_rnn.CudnnCompatibleGRUCell
CudnnCompatibleLSTMCell = cudnn_rnn.CudnnCompatibleLSTMCell
