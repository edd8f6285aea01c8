"""TFM733: comparisons of static shapes, of which unknown dimensions are equal now."""

from __future__ import annotations

import pytest
from support import found

CODE = "TFM733"
HEAD = "import tensorflow as tf\n\n\ndef f(x, y):\n  p = tf.placeholder(tf.float32)\n"


@pytest.mark.parametrize(
    "body",
    [
        "assert x.get_shape() == y.get_shape()",
        "if x.get_shape() != y.get_shape():\n    raise ValueError(x)",
        "if x.get_shape().as_list() == y.get_shape().as_list():\n    x = p",
        "if x.get_shape()[1] == y.get_shape()[1]:\n    x = p",
        "if x.get_shape() == [2, 3]:\n    x = p",
        "if x.shape == y.shape:\n    x = p",
        "if mine.get_shape(x) == mine.get_shape(y):\n    x = p",
        "if x.get_shape() < y.get_shape():\n    x = p",
    ],
)
def test_nothing_depends_on_it(body: str) -> None:
    assert not found(f"{HEAD}  {body}\n", CODE)


@pytest.mark.parametrize(
    "body",
    [
        "if x.get_shape() != y.get_shape():\n    x = p",
        "x = p if x.get_shape() == y.shape else y",
        "while x.get_shape() == [None, 3]:\n    x = p",
        "return x.shape != y.get_shape() and p",
    ],
)
def test_conditions(body: str) -> None:
    (finding,) = found(f"{HEAD}  {body}\n", CODE)
    assert (finding.line, finding.severity.value) == (6, "manual")


def test_files_of_tensorflow_2() -> None:
    text = "import tensorflow as tf\n\n\n@tf.function\ndef f(x, y):\n"
    assert not found(f"{text}  return x if x.get_shape() == y.get_shape() else y\n", CODE)
