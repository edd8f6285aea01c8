"""tf.contrib.rnn: its own cells, and those that went to tf.nn.rnn_cell."""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import keras_2 as keras_2
from tfmigrate_runtime import rnn
from tfmigrate_runtime.compat.shim_ops import _best_effort_input_batch_size, _transpose_batch_time
from tfmigrate_runtime.tf1_shim.names_of import names_of, taken

_look_up, _names = names_of(__name__, rnn)
__getattr__ = _look_up
_OF_CORE = taken(
    tf.nn.rnn_cell,
    """
    BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMCell LSTMStateTuple
    MultiRNNCell RNNCell ResidualWrapper
    """,
) | taken(tf.nn, "static_bidirectional_rnn static_rnn static_state_saving_rnn")
globals().update(_OF_CORE)
best_effort_input_batch_size = _best_effort_input_batch_size
rnn_cell = tf.nn.rnn_cell  # a module of tf.contrib.rnn until TensorFlow 1.1
transpose_batch_time = _transpose_batch_time
__all__ = ["best_effort_input_batch_size", "rnn_cell", "transpose_batch_time"]
__all__ += [*_OF_CORE, *_names]
