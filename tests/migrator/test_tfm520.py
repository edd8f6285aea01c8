"""TFM520: Keras 3 trains what is trainable then, Keras 2 what was when a model was compiled."""

from __future__ import annotations

import pytest
from support import check_unchanged, found

CODE = "TFM520"
HEAD = """import tensorflow as tf
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential

"""
GAN = """critic = Sequential([Dense(1)])
critic.compile('sgd', 'mse')
critic.trainable = False
maker = Sequential([Dense(4), critic])
maker.compile('sgd', 'mse')
for real, noise, ones in batches:
  critic.train_on_batch(real, ones)
  maker.train_on_batch(noise, ones)
"""
METHODS = """class Gan:
  def __init__(self):
    self.critic = self.make_critic()
    self.critic.compile('sgd', 'mse')
    self.critic.trainable = False
    self.maker = Sequential([Dense(4), self.critic])
    self.maker.compile('sgd', 'mse')

  def make_critic(self):
    model = Sequential()
    model.add(Dense(1))
    return model

  def train(self, real, noise, ones):
    self.critic.train_on_batch(real, ones)
    self.maker.train_on_batch(noise, ones)
"""
FUNCTIONS = """def define_critic():
  model = Sequential([Dense(1)])
  model.compile('sgd', 'mse')
  return model

def define_gan(maker, critic):
  critic.trainable = False
  model = Sequential([maker, critic])
  model.compile('sgd', 'mse')
  return model

def train(critic, gan, real, noise, ones):
  critic.train_on_batch(real, ones)
  gan.train_on_batch(noise, ones)

critic = define_critic()
train(critic, define_gan(Sequential([Dense(4)]), critic), real, noise, ones)
"""


PENALIZED = """class Gan:
  def __init__(self):
    self.maker = Sequential([Dense(4)])
    self.critic = Sequential([Dense(1)])
    self.maker.trainable = False
    self.both = Model([real, noise], [self.critic(real), self.critic(self.maker(noise))])
    self.both.compile('sgd', 'mse')
    self.critic.trainable = False
    self.maker.trainable = True
    self.combined = Model(noise, self.critic(self.maker(noise)))
    self.combined.compile('sgd', 'mse')

  def train(self, real, noise, ones):
    self.both.train_on_batch([real, noise], ones)
    self.combined.train_on_batch(noise, ones)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "  critic.train_on_batch(real, ones)\n",
            "  critic.trainable = True\n  critic.train_on_batch(real, ones)\n"
            "  critic.trainable = False\n",
        ),
        ("critic.trainable = False\n", ""),
        ("critic.trainable = False\n", "critic.trainable = False\ncritic.compile('sgd', 'mse')\n"),
        ("critic.compile('sgd', 'mse')\n", ""),
        ("  critic.train_on_batch(real, ones)\n", ""),
        ("critic.trainable = False\n", "critic.trainable = is_trainable\n"),
    ],
)
def test_what_keras_3_trains_as_keras_2_did(old: str, new: str) -> None:
    assert old in GAN
    assert found(HEAD + GAN.replace(old, new), CODE) == []


def test_a_model_that_is_frozen_after_its_training() -> None:
    text = "model = Sequential([Dense(1)])\nmodel.compile('sgd')\nmodel.fit(x, y)\n"
    assert found(f"{HEAD}{text}model.trainable = False\nmodel.predict(x)\n", CODE) == []


def test_keras_2_trains_as_it_was_compiled() -> None:
    assert found(f"import os\n\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n{HEAD}{GAN}", CODE) == []


@pytest.mark.parametrize("text", [GAN, METHODS, FUNCTIONS], ids=["module", "methods", "functions"])
def test_a_critic_that_is_no_longer_trained(text: str) -> None:
    (finding,) = found(HEAD + text, CODE)
    assert finding.severity.value == "manual"
    assert "does not train what Keras 2 did" in finding.message
    check_unchanged(HEAD + text)


def test_a_critic_that_stays_trainable_for_the_combined_model() -> None:
    text = GAN.replace("  critic.train", "  critic.trainable = True\n  critic.train")
    (finding,) = found(HEAD + text, CODE)
    assert (HEAD + text).splitlines()[finding.line - 1] == "  critic.trainable = True"


@pytest.mark.parametrize("names", [("", ""), ("inputs=", "outputs=")])
def test_models_that_contain_others(names: tuple[str, str]) -> None:
    inputs, outputs = names
    text = PENALIZED.replace("Model([real", f"Model({inputs}[real").replace(
        ", [self", f", {outputs}[self"
    )
    text = f"{HEAD}from tensorflow.keras.models import Model\n{text}"
    lines = [text.splitlines()[finding.line - 1].strip() for finding in found(text, CODE)]
    assert lines == ["self.critic.trainable = False", "self.maker.trainable = True"]


def test_models_of_one_function_are_two() -> None:
    text = FUNCTIONS.replace("define_gan(Sequential([Dense(4)]), critic)", "define_critic()")
    text = text.replace(
        "critic = define_critic()\n", "critic = define_critic()\nold = define_critic()\n"
    )
    assert found(f"{HEAD}{text}old.trainable = False\n", CODE) == []


def test_standalone_keras() -> None:
    assert len(found("from keras.models import Sequential\n" + GAN, CODE)) == 1
