"""TFM206: tf.gradients without the scaling of TowerOptimizer."""

from __future__ import annotations

import pytest
from hazards import check_manual, check_safe

CODE = "TFM206"


@pytest.mark.parametrize(
    "body",
    [
        "op = opt.minimize(loss)\n",
        "op = opt.apply_gradients(opt.compute_gradients(loss))\n",
        # A gradient penalty: the loss goes through compute_gradients all the same.
        "penalty = tf.gradients(loss, features)[0]\nop = opt.minimize(loss + penalty)\n",
        "penalty = tf.gradients(loss, features)[0]\n"
        "op = opt.apply_gradients(opt.compute_gradients(loss + penalty))\n",
        "op = opt.apply_gradients(list(mine.gradients(loss)))\n",
        "x = 'tf.gradients(loss, v)'\nop = opt.apply_gradients(pairs)\n",
    ],
)
def test_loss_that_is_scaled(body: str) -> None:
    check_safe(body, CODE)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("g = tf.gradients(loss, v)\nop = opt.apply_gradients(list(zip(g, v)))\n", 4),
        ("op = opt.apply_gradients(list(zip(tf.gradients(loss, v), v)))\n", 4),
        ("def train():\n  g = tf.gradients(loss, v)\n  return opt.apply_gradients([(g, v)])\n", 5),
        ("g = gradients(loss)\nop = opt.apply_gradients(g)\n", None),
    ],
)
def test_gradients_by_hand(body: str, line: int | None) -> None:
    if line is None:  # a helper of the same file takes the gradients
        top = "def gradients(loss):\n  return tf.gradients(loss, tf.trainable_variables())\n"
        check_manual(body, CODE, [3], top)
    else:
        check_manual(body, CODE, [line])


def test_imported_by_name() -> None:
    body = "op = opt.apply_gradients(list(zip(gradients(loss, v), v)))\n"
    check_manual(body, CODE, [5], "from tensorflow import gradients\n")
