"""tf.contrib.rnn."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.rnn"
_CELLS = (
    "BasicLSTMCell", "BasicRNNCell", "DeviceWrapper", "DropoutWrapper", "GRUCell", "LSTMCell",
    "LSTMStateTuple", "MultiRNNCell", "RNNCell", "ResidualWrapper",
)  # fmt: skip
_FUNCTIONS = ("static_bidirectional_rnn", "static_rnn", "static_state_saving_rnn")
# Each was an alias of the one in tf.nn (contrib/rnn/__init__.py).
NAMES: Mapping[str, Equivalent] = {
    **{name: Equivalent(f"nn.rnn_cell.{name}") for name in _CELLS},
    **{name: Equivalent(f"nn.{name}") for name in _FUNCTIONS},
}
_RARE = Missing(
    "it has no replacement", "copy the cell from TensorFlow 1.15 as a tf.nn.rnn_cell.RNNCell"
)
MISSING: Mapping[str, Missing] = {
    **dict.fromkeys(
        (
            "BidirectionalGridLSTMCell",
            "GLSTMCell",
            "GridLSTMCell",
            "LSTMBlockWrapper",
            "PhasedLSTMCell",
            "TimeFreqLSTMCell",
        ),
        _RARE,
    ),
    "CompiledWrapper": Missing(
        "it compiled a cell with XLA through tf.contrib.compiler",
        "remove the wrapper, or compile with tf.function(jit_compile=True)",
    ),
}
