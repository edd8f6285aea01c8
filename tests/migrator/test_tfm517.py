"""TFM517: the loss of a replica is not divided by the global batch, or is divided twice."""

from __future__ import annotations

import pytest
from support import check_unchanged, found

CODE = "TFM517"


def program(loss: str, made: str = "reduction='none'") -> str:
    return f"""\
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
  loss_object = tf.keras.losses.BinaryCrossentropy({made})

def train_step(x, y):
  with tf.GradientTape() as tape:
    loss = {loss}
  gradients = tape.gradient(loss, model.trainable_variables)
  update(gradients)

def distributed_step(x, y):
  strategy.run(train_step, args=(x, y))
"""


@pytest.mark.parametrize(
    "loss",
    [
        "tf.nn.compute_average_loss(loss_object(y, model(x)), global_batch_size=64)",
        "tf.reduce_sum(loss_object(y, model(x))) * (1.0 / 64)",
        "tf.reduce_sum(loss_object(y, model(x))) / 64",
        "own_loss(y, model(x))",
    ],
)
def test_a_loss_that_fits(loss: str) -> None:
    assert found(program(loss), CODE) == []
    check_unchanged(program(loss))


@pytest.mark.parametrize(
    "loss",
    [
        "loss_object(y, model(x))",
        "tf.reduce_mean(loss_object(y, model(x)))",
        "tf.reduce_sum(loss_object(y, model(x)))",
        "tf.reduce_mean(loss_object(y, model(x))) / 64",
    ],
)
def test_a_loss_that_does_not_fit(loss: str) -> None:
    (finding,) = found(program(loss), CODE)
    assert (finding.severity.value, finding.applied) == ("manual", False)
    assert "compute_average_loss" in finding.action
    check_unchanged(program(loss))


def test_only_what_replicas_run_is_asked() -> None:
    text = program("tf.reduce_mean(loss_object(y, model(x)))")
    assert (
        found(text.replace("strategy.run(train_step, args=(x, y))", "train_step(x, y)"), CODE) == []
    )
