"""TFM214: with --target estimator, moving averages are updated once a step."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrated

from tfmigrate.model.targets import ESTIMATOR, TARGETS

CODE = "TFM214"

TARGET = TARGETS[ESTIMATOR]


def program(update: str) -> str:
    return f"""\
import tensorflow as tf
from model import network, loss_of

def model_fn(features, labels, mode):
  loss = loss_of(network(features), labels)
  optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
  {update}
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

classifier = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(model_fn))
classifier.train(input_fn=lambda: tf.data.Dataset.range(8).batch(4))
"""


UPDATES = "updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)"
AVERAGE = "average = tf.train.ExponentialMovingAverage(0.9)"


@pytest.mark.parametrize(
    "line",
    [
        "losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)",
        "# tf.GraphKeys.UPDATE_OPS",
        "average = own.ExponentialMovingAverage(0.9)",
    ],
)
def test_no_moving_averages(line: str) -> None:
    assert found(program(line), CODE, target=TARGET) == []
    assert "MirroredStrategy" in migrated(program(line), target=TARGET)


@pytest.mark.parametrize("line", [UPDATES, AVERAGE])
def test_the_runtime_does_as_the_towers_did(line: str) -> None:
    assert found(program(line), CODE) == []


@pytest.mark.parametrize("line", [UPDATES, AVERAGE])
def test_the_program_waits_for_unsafe(line: str) -> None:
    (finding,) = found(program(line), CODE, target=TARGET)
    assert (finding.line, finding.severity.value, finding.applied) == (7, "unsafe", False)
    check_unchanged(program(line), target=TARGET)
    assert "MirroredStrategy" in migrated(program(line), target=TARGET, unsafe=True)


def test_a_program_without_towers_is_none_of_its_concern() -> None:
    text = f"import tensorflow as tf\n\ndef f():\n  {UPDATES}\n  return updates\n"
    assert found(text, CODE, target=TARGET) == []
