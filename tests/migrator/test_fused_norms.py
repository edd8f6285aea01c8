"""TFM731: TensorFlow 1.x raised the epsilon of fused batch normalization to 1.001e-5."""

from __future__ import annotations

import pytest
from support import migrated

HEAD = "import tensorflow as tf\nx = tf.placeholder(tf.float32, [None, 4, 4, 3])\nSMALL = 1e-5\n"


@pytest.mark.parametrize(
    "line",
    [
        "tf.nn.fused_batch_norm(x, a, b)",
        "tf.nn.fused_batch_norm(x, a, b, epsilon=1e-3)",
        "tf.nn.fused_batch_norm(x, a, b, epsilon=1.001e-5)",
        "tf.layers.batch_normalization(x, epsilon=1e-5)",
        "tf.layers.batch_normalization(x, epsilon=1e-5, fused=False)",
        "tf.layers.batch_normalization(x, fused=True)",
        "tf.nn.batch_normalization(x, m, v, b, s, 1e-5)",
    ],
)
def test_epsilons_that_stay(line: str) -> None:
    assert migrated(f"{HEAD}{line}\n").endswith(f"{line}\n")


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("tf.nn.fused_batch_norm(x, a, b, epsilon={})", "1e-5", "1.001e-05"),
        ("tf.nn.fused_batch_norm(x, a, b, m, v, {})", "0.0", "1.001e-05"),
        ("tf.nn.fused_batch_norm(x, a, b, epsilon={})", "SMALL", "max(SMALL, 1.001e-05)"),
        ("tf.nn.fused_batch_norm(x, a, b, epsilon={})", "f()", "max(f(), 1.001e-05)"),
        ("tf.layers.batch_normalization(x, 3, .9, {}, fused=True)", "1e-6", "1.001e-05"),
        ("tf.layers.BatchNormalization(epsilon={}, fused=True)(x)", "1e-5", "1.001e-05"),
    ],
)
def test_epsilons_that_were_raised(line: str, before: str, after: str) -> None:
    assert migrated(f"{HEAD}{line.format(before)}\n").endswith(f"{line.format(after)}\n")
