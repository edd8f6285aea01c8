"""tf.contrib.rnn: its own cells, and those that went to tf.nn.rnn_cell."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import keras_2 as keras_2
from tfmigrate_runtime import rnn
from tfmigrate_runtime.compat.shim_ops import _best_effort_input_batch_size, _transpose_batch_time
from tfmigrate_runtime.tf1_shim.names_of import names_of

_look_up, _names = names_of(__name__, rnn)
__getattr__ = _look_up
__all__ = [
    "BasicLSTMCell",
    "BasicRNNCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "GRUCell",
    "LSTMCell",
    "LSTMStateTuple",
    "MultiRNNCell",
    "RNNCell",
    "ResidualWrapper",
    "best_effort_input_batch_size",
    "rnn_cell",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
    "transpose_batch_time",
]
__all__ += _names

BasicLSTMCell = tf.nn.rnn_cell.BasicLSTMCell
BasicRNNCell = tf.nn.rnn_cell.BasicRNNCell
DeviceWrapper = tf.nn.rnn_cell.DeviceWrapper
DropoutWrapper = tf.nn.rnn_cell.DropoutWrapper
GRUCell = tf.nn.rnn_cell.GRUCell
LSTMCell = tf.nn.rnn_cell.LSTMCell
LSTMStateTuple = tf.nn.rnn_cell.LSTMStateTuple
MultiRNNCell = tf.nn.rnn_cell.MultiRNNCell
RNNCell = tf.nn.rnn_cell.RNNCell
ResidualWrapper = tf.nn.rnn_cell.ResidualWrapper
best_effort_input_batch_size = _best_effort_input_batch_size
rnn_cell = tf.nn.rnn_cell  # a module of tf.contrib.rnn until TensorFlow 1.1
static_bidirectional_rnn = tf.nn.static_bidirectional_rnn
static_rnn = tf.nn.static_rnn
static_state_saving_rnn = tf.nn.static_state_saving_rnn
transpose_batch_time = _transpose_batch_time
