"""TFM514: a Keras optimizer is made and built within the scope of the strategy."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrated

CODE = "TFM514"
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
BUILD = "optimizer.build(model.trainable_variables)"


@pytest.mark.parametrize(
    "text",
    [
        # It is built already.
        f"{HEAD}with strategy.scope():\n  {MODEL}\n  {OPTIMIZER}\n  {BUILD}\n{STEP}",
        # No strategy: nothing runs in replicas.
        f"import tensorflow as tf\n\n{MODEL}\n{OPTIMIZER}\n{STEP}",
        # No loop of its own: fit builds the optimizer.
        f"{HEAD}with strategy.scope():\n  {MODEL}\n  {OPTIMIZER}\n  model.compile(optimizer)\n",
    ],
)
def test_nothing_to_build(text: str) -> None:
    assert found(text, CODE) == []
    check_unchanged(text)


def test_an_optimizer_of_the_scope_is_built_below_what_is_made_last() -> None:
    for first, second in ((MODEL, OPTIMIZER), (OPTIMIZER, MODEL)):
        text = f"{HEAD}with strategy.scope():\n  {first}\n  {second}\n{STEP}"
        assert migrated(text) == text.replace(second, f"{second}\n  {BUILD}")


def test_an_optimizer_from_outside_moves_into_the_scope() -> None:
    text = f"{HEAD}{OPTIMIZER}\nwith strategy.scope():\n  {MODEL}\n{STEP}"
    inside = f"with strategy.scope():\n  {MODEL}\n  {OPTIMIZER}\n  {BUILD}\n"
    assert migrated(text) == f"{HEAD}{inside}{STEP}"
    (finding,) = found(text, CODE)
    assert finding.message.startswith("Keras optimizer -> created in the strategy's scope")


def test_an_optimizer_that_is_used_before_the_model_is_made_stays() -> None:
    text = f"{HEAD}{OPTIMIZER}\nprint(optimizer)\nwith strategy.scope():\n  {MODEL}\n{STEP}"
    assert found(text, CODE) == []
    assert len(found(text, "TFM515")) == 1
