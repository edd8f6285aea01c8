"""tf.contrib.cudnn_rnn on TensorFlow 2: cuDNN's networks, and the cells that compute the same.

``from tfmigrate_runtime import cudnn_rnn`` instead of ``cudnn_rnn = tf.contrib.cudnn_rnn``. The
networks are computed by operations that run on all devices, from one variable in cuDNN's order.
Checkpoints have the names of TensorFlow 1.15, those of the networks and those of the cells.
"""

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow
from tfmigrate_runtime.cudnn_rnn.cells import CudnnCompatibleGRUCell, CudnnCompatibleLSTMCell
from tfmigrate_runtime.cudnn_rnn.networks import CudnnGRU, CudnnLSTM, CudnnRNNRelu, CudnnRNNTanh

__all__ = [
    "CudnnCompatibleGRUCell", "CudnnCompatibleLSTMCell", "CudnnGRU", "CudnnLSTM", "CudnnRNNRelu",
    "CudnnRNNTanh",
]  # fmt: skip
