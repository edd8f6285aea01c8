"""Cells of tf.nn.rnn_cell, as classes that are written out."""

from tfmigrate_keras.tables.entry import Entry, entry

_LSTM = "BasicLSTMCell"
CELLS: dict[str, Entry] = {
    "tensorflow.nn.rnn_cell.BasicLSTMCell": entry(
        _LSTM,
        "num_units! forget_bias state_is_tuple=True activation=None,tf.tanh,tf.nn.tanh "
        "reuse=None name-",
    ),
    "tensorflow.nn.rnn_cell.LSTMCell": entry(
        _LSTM,
        "num_units! use_peepholes=False cell_clip=None initializer=None num_proj=None "
        "proj_clip=None num_unit_shards=None num_proj_shards=None forget_bias "
        "state_is_tuple=True activation=None,tf.tanh,tf.nn.tanh reuse=None name-",
    ),
}
"""By the name of a class."""
