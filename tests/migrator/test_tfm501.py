"""TFM501: tf.contrib.distribute."""

from __future__ import annotations

import pytest
from support import found

HEAD = "import tensorflow as tf\ntf.Session()\nd = tf.contrib.distribute\n"


@pytest.mark.parametrize("call", ["d.MirroredStrategy()", "d.AllReduceCrossTowerOps('pscpu')"])
def test_nothing_is_said_of_nccl(call: str) -> None:
    (done,) = found(HEAD + call + "\n", "TFM501")
    assert "NCCL" not in done.message


@pytest.mark.parametrize(
    "call",
    [
        "d.AllReduceCrossTowerOps('nccl')",
        "d.AllReduceCrossDeviceOps(all_reduce_alg='nccl')",
        "d.AllReduceCrossDeviceOps()",
    ],
)
def test_nccl_needs_gpus(call: str) -> None:
    (done,) = found(HEAD + call + "\n", "TFM501")
    assert done.applied
    assert done.message.endswith("NCCL all-reduce needs GPUs")
