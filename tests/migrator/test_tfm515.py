"""TFM515: a Keras optimizer that nobody builds before the first step."""

from __future__ import annotations

import pytest
from support import check_unchanged, found

CODE = "TFM515"
HEAD = "import tensorflow as tf\n\nstrategy = tf.distribute.MirroredStrategy()\n"
STEP = """
def step(x, y):
  with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.square(model(x) - y)) / 64
  gradients = tape.gradient(loss, model.trainable_variables)
  optimizer.apply_gradients(zip(gradients, model.trainable_variables))
"""
MODEL = "model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])"
OPTIMIZER = "optimizer = tf.keras.optimizers.Adam()"
NO_SHAPE = "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}with strategy.scope():\n  {MODEL}\n  {OPTIMIZER}\n{STEP}",  # built by TFM514
        f"import tensorflow as tf\n\n{NO_SHAPE}\n{OPTIMIZER}\n{STEP}",
        f"{HEAD}with strategy.scope():\n  {NO_SHAPE}\n  {OPTIMIZER}\n  model.compile(optimizer)\n",
        f"{HEAD}with strategy.scope():\n  {NO_SHAPE}\n  {OPTIMIZER}\n"
        f"  model.build((None, 4))\n  optimizer.build(model.trainable_variables)\n{STEP}",
    ],
)
def test_it_is_built(text: str) -> None:
    assert found(text, CODE) == []


@pytest.mark.parametrize(
    ("made", "outside"),
    [
        (f"with strategy.scope():\n  {NO_SHAPE}\n  {OPTIMIZER}\n", False),
        (f"with strategy.scope():\n  {OPTIMIZER}\n  {NO_SHAPE}\n", False),
        (f"{OPTIMIZER}\nwith strategy.scope():\n  {NO_SHAPE}\n", True),
        (f"with strategy.scope():\n  {MODEL}\n{OPTIMIZER}\n", True),
    ],
)
def test_it_is_reported_and_nothing_changes(made: str, outside: bool) -> None:
    text = f"{HEAD}{made}{STEP}"
    (finding,) = found(text, CODE)
    assert finding.severity.value == "manual"
    assert ("outside strategy.scope()" in finding.message) is outside
    assert "optimizer.build(model.trainable_variables)" in finding.action
    check_unchanged(text)
