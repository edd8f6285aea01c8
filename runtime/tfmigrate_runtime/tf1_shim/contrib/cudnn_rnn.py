"""tf.contrib.cudnn_rnn: cuDNN's networks, and the cells that compute the same."""

from tfmigrate_runtime import cudnn_rnn
from tfmigrate_runtime.cudnn_rnn import __all__ as __all__

CudnnCompatibleGRUCell = cudnn_rnn.CudnnCompatibleGRUCell
CudnnCompatibleLSTMCell = cudnn_rnn.CudnnCompatibleLSTMCell
CudnnGRU = cudnn_rnn.CudnnGRU
CudnnLSTM = cudnn_rnn.CudnnLSTM
CudnnRNNRelu = cudnn_rnn.CudnnRNNRelu
CudnnRNNTanh = cudnn_rnn.CudnnRNNTanh
