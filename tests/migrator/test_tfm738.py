"""TFM738: whole floats are no sizes on TensorFlow 2."""

from __future__ import annotations

import pytest
from support import found, migrated

CODE = "TFM738"
HEAD = "import tensorflow as tf\nx = tf.placeholder(tf.float32, [None, 4])\nn = flag()\n"


@pytest.mark.parametrize(
    "line",
    [
        "tf.nn.rnn_cell.GRUCell(n // 2)",
        "tf.nn.rnn_cell.GRUCell(int(n / 2))",
        "tf.nn.rnn_cell.GRUCell(f(n / 2))",
        "tf.nn.rnn_cell.GRUCell(4, n / 2)",
        "tf.nn.rnn_cell.GRUCell(*n / 2)",
        "tf.get_variable('a', [n, 2], initializer=n / 2)",
        "tf.get_variable('a', n / 2)",
        "tf.zeros([n / 2])",
        "mine.GRUCell(n / 2)",
        "def set_shape(shape): pass\nown.set_shape([n / 2])",
        "import mine\nmine.set_shape([n / 2])",
        "m = 4 if n else n / 2\ntf.nn.rnn_cell.GRUCell(m)",
    ],
)
def test_other_quotients(line: str) -> None:
    assert not found(f"{HEAD}{line}\n", CODE)


def test_files_of_tensorflow_2() -> None:
    text = "import tensorflow as tf\n@tf.function\ndef f(n):\n  return tf.TensorShape([n / 2])\n"
    assert not found(text, CODE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.nn.rnn_cell.LSTMCell({})", "n / 2"),
        ("tf.nn.rnn_cell.BasicLSTMCell(num_units={})", "n / 2"),
        ("tf.nn.rnn_cell.GRUCell({})", "n / 2 + 1"),
        ("tf.nn.rnn_cell.GRUCell({})", "3 * (n / 2)"),
        ("tf.get_variable('a', [2, {}])", "n / 2"),
        ("tf.get_variable('a', shape=({}, 3))", "n / 2"),
        ("tf.placeholder(tf.float32, [None, {}])", "n / 2"),
        ("shape = [{}, 4]\ntf.get_variable('a', shape)", "n / 2"),
        ("x.set_shape([None, {}])", "n / 2"),
        ("shape = ({}, 4)\ntf.add(x, 1).set_shape(shape=shape)", "n / 2"),
        ("m = n / 2\nprint(m)\ntf.nn.rnn_cell.GRUCell({})", "m"),
    ],
)
def test_sizes(before: str, after: str) -> None:
    assert migrated(f"{HEAD}{before.format(after)}\n").endswith(
        f"{before.format(f'int({after})')}\n"
    )


def test_cells_of_contrib() -> None:
    text = f"{HEAD}tf.contrib.rnn.GRUCell(n / 2)\ntf.contrib.rnn.UGRNNCell(n / 2)\n"

    assert migrated(text).endswith(
        "tf.nn.rnn_cell.GRUCell(int(n / 2))\nrnn.UGRNNCell(int(n / 2))\n"
    )
