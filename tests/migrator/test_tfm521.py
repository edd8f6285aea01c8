"""TFM521: Keras 3 trains only what an optimizer was built with."""

from __future__ import annotations

import pytest
from support import check_unchanged, found

CODE = "TFM521"
HEAD = """import tensorflow as tf
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential
from tensorflow.keras.optimizers import Adam

"""
TWO = """adam = Adam(2e-4, 0.5)
critic = Sequential([Dense(1)])
critic.compile(loss='mse', optimizer=adam)
maker = Sequential([Dense(4)])
maker.compile(loss='mse', optimizer=adam)
for real, noise, ones in batches:
  critic.train_on_batch(real, ones)
  maker.train_on_batch(noise, real)
"""
METHODS = """class Gan:
  def __init__(self):
    optimizer = Adam(2e-4, 0.5)
    self.critic = self.make_critic()
    self.critic.compile('mse', optimizer=optimizer)
    self.maker = Sequential([Dense(4)])
    self.maker.compile(loss='mse', optimizer=optimizer)

  def make_critic(self):
    model = Sequential()
    model.add(Dense(1))
    return model

  def train(self, real, noise, ones):
    self.critic.train_on_batch(real, ones)
    self.maker.train_on_batch(noise, real)
""".replace("compile('mse', optimizer", "compile(loss='mse', optimizer")
FOLDS = """def make():
  model = Sequential([Dense(1)])
  model.compile(adam, 'mse')
  return model

adam = Adam()
for x, y in folds:
  model = make()
  model.fit(x, y)
"""
TAPE = """critic = Sequential([Dense(1)])
maker = Sequential([Dense(4)])
adam = tf.keras.optimizers.Adam()

def train(real):
  with tf.GradientTape() as tape:
    loss = tf.reduce_mean(critic(real))
  gradients = tape.gradient(loss, critic.trainable_variables)
  adam.apply_gradients(zip(gradients, critic.trainable_variables))

def train_maker(noise):
  variables = maker.trainable_variables
  with tf.GradientTape() as tape:
    loss = tf.reduce_mean(maker(noise))
  adam.apply_gradients(zip(tape.gradient(loss, variables), variables))
"""
UNFROZEN = """adam = Adam()
base = Sequential([Dense(4)])
base.trainable = False
model = Sequential([base, Dense(1)])
model.compile(adam, 'mse')
model.fit(x, y)
base.trainable = True
model.compile(adam, 'mse')
model.fit(x, y)
"""


@pytest.mark.parametrize(
    "text",
    [
        TWO.replace("maker.compile(loss='mse', optimizer=adam)", "maker.compile('adam', 'mse')"),
        TWO.replace("  maker.train_on_batch(noise, real)\n", ""),
        TWO.replace("for real", "adam.build(critic.variables + maker.variables)\nfor real"),
        TWO.replace("optimizer=adam)\nfor", "optimizer=Adam())\nfor"),
        FOLDS.replace("model.compile(adam", "model.compile(Adam()"),
        FOLDS.replace("adam = Adam()\n", "").replace("():\n", "():\n  adam = Adam()\n"),
        FOLDS.replace("for x", "model = make()\nfor x").replace("  model = make()\n", ""),
        TAPE.replace("maker.trainable", "critic.trainable"),
        UNFROZEN.replace("True\nmodel.compile(adam", "True\nmodel.compile(Adam()"),
        UNFROZEN.replace("base.trainable = True\n", ""),
        UNFROZEN.replace("base.trainable = True\n", "base.trainable = False\n"),
    ],
    ids=[
        "name", "not trained", "built", "two", "by call", "by function", "one model", "one tape",
        "new", "same", "frozen",
    ],
)  # fmt: skip
def test_optimizers_of_one_model(text: str) -> None:
    assert text not in (TWO, FOLDS, TAPE, UNFROZEN)
    assert found(HEAD + text, CODE) == []


def test_a_model_that_a_function_returns_again() -> None:
    text = (
        "def load(model):\n  model.load_weights(path)\n  return model\n\n"
        "model = Sequential([Dense(1)])\nmodel.compile(Adam(), 'mse')\n"
        "if path:\n  model = load(model)\nmodel.fit(x, y)\n"
    )
    assert found(HEAD + text, CODE) == []


def test_keras_2_adds_slots_when_variables_come() -> None:
    assert found(f"import os\n\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n{HEAD}{TWO}", CODE) == []


@pytest.mark.parametrize(
    "text",
    [
        TWO,
        METHODS,
        FOLDS,
        FOLDS.replace("def make():", "def make(adam):").replace("= make()", "= make(adam)"),
        TAPE,
        UNFROZEN,
        f"def run(x, y):\n  {UNFROZEN.replace(chr(10), chr(10) + '  ')}",
    ],
    ids=["module", "methods", "folds", "parameter", "tape", "unfrozen", "in a function"],
)
def test_optimizers_of_several(text: str) -> None:
    (finding,) = found(HEAD + text, CODE)
    assert finding.severity.value == "manual"
    assert "Adam(" in (HEAD + text).splitlines()[finding.line - 1]
    check_unchanged(HEAD + text)


def test_models_of_one_function_each_with_an_optimizer() -> None:
    text = (
        "def make():\n  model = Sequential([Dense(1)])\n  model.compile(Adam(), 'mse')\n"
        "  return model\n\nfirst = make()\nsecond = make()\nfirst.fit(x, y)\nsecond.fit(x, y)\n"
    )
    assert found(HEAD + text, CODE) == []
    shared = text.replace("Adam()", "adam").replace("def make", "adam = Adam()\n\ndef make")
    assert len(found(HEAD + shared, CODE)) == 1
