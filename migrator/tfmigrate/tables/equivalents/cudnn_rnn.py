"""tf.contrib.cudnn_rnn: what the runtime does not have."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.cudnn_rnn"

NAMES: Mapping[str, Equivalent] = {}
MISSING: Mapping[str, Missing] = {
    "": Missing(
        "it converts between the weights of cuDNN's networks and of cells",
        "let a Saver do that: the networks of tfmigrate_runtime.cudnn_rnn write and read both",
    )
}
