"""tf.contrib.rnn on TensorFlow 2.

``from tfmigrate_runtime import rnn`` instead of ``rnn = tf.contrib.rnn``. The cells and the
functions that TensorFlow has in tf.nn are its own.

What TensorFlow does not have is written from TensorFlow 1.15's formulas, with the names of its
variables, so that its checkpoints are read. tests/symbols compares the numbers with TensorFlow
1.15.5, since the legacy runtime shares this code.
"""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow
from tfmigrate_runtime.rnn.base import LSTMStateTuple, _like_rnncell, _Linear, _linear
from tfmigrate_runtime.rnn.cells import (
    CoupledInputForgetGateLSTMCell, IntersectionRNNCell, LayerNormBasicLSTMCell, NASCell, SRUCell,
    UGRNNCell,
)  # fmt: skip
from tfmigrate_runtime.rnn.convolutional_cells import (
    Conv1DLSTMCell, Conv2DLSTMCell, Conv3DLSTMCell, ConvLSTMCell,
)  # fmt: skip
from tfmigrate_runtime.rnn.fused_cells import (
    FusedRNNCell, FusedRNNCellAdaptor, GRUBlockCell, GRUBlockCellV2, LSTMBlockCell,
    LSTMBlockFusedCell, TimeReversedFusedRNN,
)  # fmt: skip
from tfmigrate_runtime.rnn.independent_cells import IndRNNCell, IndyGRUCell, IndyLSTMCell
from tfmigrate_runtime.rnn.stacked import stack_bidirectional_dynamic_rnn, stack_bidirectional_rnn
from tfmigrate_runtime.rnn.wrappers import (
    AttentionCellWrapper, EmbeddingWrapper, HighwayWrapper, InputProjectionWrapper,
    OutputProjectionWrapper,
)  # fmt: skip

BasicLSTMCell = tf.nn.rnn_cell.BasicLSTMCell
BasicRNNCell = tf.nn.rnn_cell.BasicRNNCell
DeviceWrapper = tf.nn.rnn_cell.DeviceWrapper
DropoutWrapper = tf.nn.rnn_cell.DropoutWrapper
GRUCell = tf.nn.rnn_cell.GRUCell
LSTMCell = tf.nn.rnn_cell.LSTMCell
MultiRNNCell = tf.nn.rnn_cell.MultiRNNCell
RNNCell = tf.nn.rnn_cell.RNNCell
ResidualWrapper = tf.nn.rnn_cell.ResidualWrapper
# The class between RNNCell and the cells of tf.nn.rnn_cell, which has no name there.
LayerRNNCell = BasicRNNCell.__bases__[0]
static_bidirectional_rnn = tf.nn.static_bidirectional_rnn
static_rnn = tf.nn.static_rnn
static_state_saving_rnn = tf.nn.static_state_saving_rnn

__all__ = [
    "AttentionCellWrapper", "BasicLSTMCell", "BasicRNNCell", "Conv1DLSTMCell", "Conv2DLSTMCell",
    "Conv3DLSTMCell", "ConvLSTMCell", "CoupledInputForgetGateLSTMCell", "DeviceWrapper",
    "DropoutWrapper", "EmbeddingWrapper", "FusedRNNCell", "FusedRNNCellAdaptor", "GRUBlockCell",
    "GRUBlockCellV2", "GRUCell", "HighwayWrapper", "IndRNNCell", "IndyGRUCell", "IndyLSTMCell",
    "InputProjectionWrapper", "IntersectionRNNCell", "LSTMBlockCell", "LSTMBlockFusedCell",
    "LSTMCell", "LSTMStateTuple", "LayerNormBasicLSTMCell", "LayerRNNCell", "MultiRNNCell",
    "NASCell", "OutputProjectionWrapper", "RNNCell", "ResidualWrapper", "SRUCell",
    "TimeReversedFusedRNN", "UGRNNCell", "_Linear", "_like_rnncell", "_linear",
    "stack_bidirectional_dynamic_rnn", "stack_bidirectional_rnn", "static_bidirectional_rnn",
    "static_rnn", "static_state_saving_rnn",
]  # fmt: skip
