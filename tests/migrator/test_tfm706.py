"""Packages of tf.contrib become the runtime's, and one that was never public."""

from __future__ import annotations

import pytest
from support import check, found

TF = "import tensorflow as tf\n"
V1 = "import tensorflow.compat.v1 as tf\n"
INSTANCE = "get_optimizer_instance('Adam', learning_rate=0.1)\ntf.to_float(1)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from tensorflow.python.estimator.canned.optimizers import get_optimizer_instance\n"
            + INSTANCE,
            "from tfmigrate_runtime.optimizers import get_optimizer_instance\n" + INSTANCE,
        ),
        (
            f"from tensorflow.python.estimator.canned import optimizers\noptimizers.{INSTANCE}",
            f"from tfmigrate_runtime import optimizers\noptimizers.{INSTANCE}",
        ),
        (
            "from tensorflow.contrib import seq2seq as s2s\ns2s.sequence_loss(x, y, z)\n",
            "from tfmigrate_runtime import seq2seq as s2s\ns2s.sequence_loss(x, y, z)\n",
        ),
    ],
)
def test_imports_become_the_runtimes(before: str, after: str) -> None:
    check(TF + before, V1 + after)
    assert not found(TF + before, "TFM602")


def test_the_other_private_names_of_estimators_are_told() -> None:
    text = "from tensorflow.python.estimator.canned import head\nhead.x\n"
    assert [f.line for f in found(TF + text, "TFM602")] == [2]
