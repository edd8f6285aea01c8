"""TFM704: imports of tensorflow.examples."""

from __future__ import annotations

import pytest
from support import found, migrated

PROGRAM = "import tensorflow as tf\nx = tf.estimator.Estimator(f)\n"


@pytest.mark.parametrize(
    "line",
    [
        "from .tensorflow.examples import mnist",
        "import examples.tutorials.mnist",
        "from examples import mnist",
        "import tensorflow.keras.datasets.mnist  # examples",
    ],
)
def test_other_imports(line: str) -> None:
    assert found(f"{PROGRAM}{line}\n", "TFM704") == []


@pytest.mark.parametrize(
    "line",
    [
        "from tensorflow.examples.tutorials.mnist import input_data",
        "from tensorflow.examples.tutorials import mnist as m, other",
        "from tensorflow import examples",
        "import tensorflow.examples.tutorials.mnist.input_data as input_data",
        "import numpy, tensorflow.examples.tutorials.mnist",
    ],
)
def test_examples_are_told_and_hold_nothing_back(line: str) -> None:
    told = found(f"{PROGRAM}def f():\n  {line}\n", "TFM704")
    assert [(f.line, f.severity.value) for f in told] == [(4, "manual")]
    after = migrated(f"{PROGRAM}def f():\n  {line}\n")
    assert line in after
    assert "estimator.Estimator" in after
