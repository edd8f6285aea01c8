"""TFM740: regularization losses that are averaged."""

from __future__ import annotations

import pytest
from support import found, migrated

CODE = "TFM740"
KEY = "tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)"
PROGRAM = """\
import tensorflow as tf

def averages(total_loss):
  average = tf.train.ExponentialMovingAverage(0.9)
{body}

def main(total_loss, server):
  averages(total_loss)
  with tf.Session(server.target) as sess:
    sess.run(total_loss)
"""


def program(*lines: str) -> str:
    return PROGRAM.format(body="\n".join(f"  {line}" for line in lines))


@pytest.mark.parametrize(
    "lines",
    [
        (f"losses = {KEY}", "return average.apply([tf.add_n(losses)])"),
        ("losses = tf.get_collection('losses')", "return average.apply(losses)"),
        (f"losses = {KEY}", "return average.apply(tf.trainable_variables())"),
        (f"losses = [loss.op.outputs[0] for loss in {KEY}]", "return average.apply(losses)"),
        (
            f"for loss in {KEY}:",
            "  tf.summary.scalar(loss.op.name, loss)",
            "return average.apply()",
        ),
    ],
)
def test_what_is_not_averaged(lines: tuple[str, ...]) -> None:
    assert not found(program(*lines), CODE)


@pytest.mark.parametrize(
    "lines",
    [
        ("return average.apply({} + [total_loss])",),
        ("losses = {}", "return average.apply(losses)"),
        ("losses = tf.get_collection('a')", "losses += {}", "return average.apply(losses)"),
        ("losses = []", "losses.extend({})", "return average.apply([total_loss] + losses)"),
        ("a = {}", "b = a + [total_loss]", "return average.apply([*b])"),
    ],
)
@pytest.mark.parametrize(
    "call",
    [KEY, "tf.get_collection('regularization_losses')", "tf.losses.get_regularization_losses()"],
)
def test_what_is_averaged(lines: tuple[str, ...], call: str) -> None:
    after = migrated(program(*lines).replace("{}", call))
    assert f"[loss.op.outputs[0] for loss in {call}]" in after
    assert migrated(after) == after
