"""TFM512: reset_states of a metric is called reset_state."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrated

CODE = "TFM512"
HEAD = "import tensorflow as tf\n\n"
MEAN = f"{HEAD}m = tf.keras.metrics.Mean()\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{MEAN}m.reset_state()\n",
        f"{HEAD}layer = tf.keras.layers.LSTM(4, stateful=True)\nlayer.reset_states()\n",
        f"{HEAD}def f(m):\n  m.reset_states()\n",
        f"{HEAD}m = tf.keras.metrics.Mean()\nm = other()\nm.reset_states()\n",
        f"{MEAN}x = tf.constant('reset_states')\n",
    ],
)
def test_nothing_to_rename(text: str) -> None:
    assert found(text, CODE) == []
    check_unchanged(text)


def test_a_program_on_keras_2_keeps_the_old_name() -> None:
    text = 'import os\n\nos.environ["TF_USE_LEGACY_KERAS"] = "1"\n' + MEAN + "m.reset_states()\n"
    assert found(text, CODE) == []


@pytest.mark.parametrize("name", ["Mean", "SparseCategoricalAccuracy", "AUC"])
def test_the_method_of_a_metric_is_renamed(name: str) -> None:
    text = f"{HEAD}m = tf.keras.metrics.{name}()\nm.reset_states()  # each epoch\n"
    assert migrated(text) == text.replace("reset_states", "reset_state")


def test_metrics_that_are_attributes_are_followed() -> None:
    text = (
        f"{HEAD}class Trainer:\n  def __init__(self):\n    self.loss = tf.keras.metrics.Mean()\n\n"
        "  def epoch(self):\n    self.loss.reset_states()\n"
    )
    assert migrated(text) == text.replace("reset_states", "reset_state")
