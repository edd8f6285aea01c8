"""TFM718: layers of compat.v1 in a program of TensorFlow 2 need Keras 2."""

from __future__ import annotations

import pytest
from support import check_unchanged, found

CODE = "TFM718"


def program(body: str, head: str = "") -> str:
    return f"""\
{head}import tensorflow as tf

@tf.function
def step(x):
  return {body}

if __name__ == '__main__':
  step(tf.ones([1, 2]))
"""


@pytest.mark.parametrize(
    ("body", "head"),
    [
        ("tf.keras.layers.Dense(1)(x)", ""),
        ("own.layers.dense(x, 1)", ""),
        (
            "tf.compat.v1.layers.dense(x, 1)",
            'import os\n\nos.environ["TF_USE_LEGACY_KERAS"] = "1"\n',
        ),
    ],
)
def test_nothing_is_missing(body: str, head: str) -> None:
    assert found(program(body, head), CODE) == []


@pytest.mark.parametrize(
    "body", ["tf.compat.v1.layers.dense(x, 1)", "tf.compat.v1.nn.rnn_cell.BasicLSTMCell(4)(x, x)"]
)
def test_it_is_reported_and_nothing_changes(body: str) -> None:
    (finding,) = found(program(body), CODE)
    assert (finding.severity.value, finding.applied) == ("manual", False)
    assert "TF_USE_LEGACY_KERAS=1" in finding.action
    check_unchanged(program(body))


def test_the_first_layer_of_a_file_is_enough() -> None:
    text = program("tf.compat.v1.layers.dense(tf.compat.v1.layers.flatten(x), 1)")
    assert len(found(text, CODE)) == 1
