"""tf.contrib.cudnn_rnn: what its layers have instead; the runtime has its cells for CPUs."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.cudnn_rnn"
_REASON = "its layers keep all weights in one buffer, in the order that cuDNN chooses"


def _cells(name: str) -> Missing:
    return Missing(
        _REASON,
        f"use tf.nn.dynamic_rnn(..., time_major=True) over a MultiRNNCell of {name}, without a "
        "scope: its variables have the names that checkpoints of one direction have",
    )


NAMES: Mapping[str, Equivalent] = {}
MISSING: Mapping[str, Missing] = {
    "": Missing(_REASON, "use tf.nn.dynamic_rnn over cells of tf.nn.rnn_cell"),
    "CudnnGRU": _cells("tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell"),
    "CudnnLSTM": _cells("tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell"),
}
