"""tf.contrib.cudnn_rnn on TensorFlow 2: cuDNN's networks, and the cells that compute the same.

``from tfmigrate_runtime import cudnn_rnn`` instead of ``cudnn_rnn = tf.contrib.cudnn_rnn``. The
networks are computed by operations that run on all devices, from one variable in cuDNN's order.
Checkpoints have the names of TensorFlow 1.15, those of the networks and those of the cells.
"""

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow
from tfmigrate_runtime.cudnn_rnn.cells import CudnnCompatibleGRUCell, CudnnCompatibleLSTMCell
from tfmigrate_runtime.cudnn_rnn.networks import CudnnGRU, CudnnLSTM, CudnnRNNRelu, CudnnRNNTanh

# What a network and its direction are called.
CUDNN_GRU, CUDNN_LSTM, CUDNN_RNN_RELU, CUDNN_RNN_TANH = "gru", "lstm", "rnn_relu", "rnn_tanh"
CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION = "unidirectional", "bidirectional"
CUDNN_INPUT_LINEAR_MODE, CUDNN_INPUT_SKIP_MODE = "linear_input", "skip_input"
CUDNN_INPUT_AUTO_MODE = "auto_select"

__all__ = [
    "CUDNN_GRU", "CUDNN_INPUT_AUTO_MODE", "CUDNN_INPUT_LINEAR_MODE", "CUDNN_INPUT_SKIP_MODE",
    "CUDNN_LSTM", "CUDNN_RNN_BIDIRECTION", "CUDNN_RNN_RELU", "CUDNN_RNN_TANH",
    "CUDNN_RNN_UNIDIRECTION", "CudnnCompatibleGRUCell", "CudnnCompatibleLSTMCell", "CudnnGRU",
    "CudnnLSTM", "CudnnRNNRelu", "CudnnRNNTanh",
]  # fmt: skip
