"""TensorFlow's modules of layers and cells, which hold its old copy of Keras."""

# Modules that programs import: they get the classes of Keras 2.
from tensorflow.python.layers import base as base

# As above.
from tensorflow.python.layers import convolutional as convolutional

# As above.
from tensorflow.python.layers import core as core

# As above.
from tensorflow.python.layers import layers as layers

# As above.
from tensorflow.python.layers import normalization as normalization

# As above.
from tensorflow.python.layers import pooling as pooling

# As above.
from tensorflow.python.ops import rnn_cell as rnn_cell

# As above.
from tensorflow.python.ops import rnn_cell_impl as rnn_cell_impl

# Its stack makes fewer ops than in 1.15, which are counted.
from tensorflow.python.ops.tensor_array_ops import _GraphTensorArray as _GraphTensorArray
