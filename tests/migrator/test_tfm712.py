"""TFM712: names that numpy has dropped."""

from __future__ import annotations

import builtins

import numpy as np
import pytest
from support import check_unchanged, migrated

from tfmigrate.rules import tfm712_numpy_names as rule

HEAD = "import numpy as np\nimport tensorflow as tf\np = tf.placeholder(tf.float32)\n"


def _after(line: str) -> str:
    return migrated(HEAD + line + "\n").rpartition("float32)\n")[2].rstrip("\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = y.astype(np.float)", "x = y.astype(float)"),
        ("x = np.zeros(3, dtype=np.int)", "x = np.zeros(3, dtype=int)"),
        ("x = [np.bool, np.object, np.str, np.long]", "x = [bool, object, str, int]"),
        ("x = -np.Inf", "x = -np.inf"),
        ("x = np.product(y.shape[1:])", "x = np.prod(y.shape[1:])"),
        ("x = np.float_(3)", "x = np.float64(3)"),
        ("x = y[0].tostring()", "x = y[0].tobytes()"),
        ("x = np.zeros(3, np.float).tostring()", "x = np.zeros(3, float).tobytes()"),
        ("x = np.fromstring(r, np.uint8)", "x = np.frombuffer(r, np.uint8).copy()"),
        ("x = np.fromstring(r, dtype=np.int)[1:]", "x = np.frombuffer(r, dtype=int).copy()[1:]"),
        (
            "x = f(np.fromstring(\n    r,  # raw\n    dtype=np.uint8))",
            "x = f(np.frombuffer(\n    r,  # raw\n    dtype=np.uint8).copy())",
        ),
    ],
)
def test_names_that_are_gone(before: str, after: str) -> None:
    assert _after(before) == after


@pytest.mark.parametrize(
    "line",
    [
        "x = np.float32(1) + np.int64(2) + np.inf",
        "x = np.fromstring('1 2', sep=' ')",
        "x = np.fromstring(*arguments)",
        "x = np.fromstring(string=r, dtype=np.uint8)",
        "from lxml import etree\nx = etree.tostring(y)",
        "import other\nx = other.tostring()",
        "x = y.np.float",
        "np.float = float",
        "def f(float):\n    return np.float",
    ],
)
def test_other_names(line: str) -> None:
    assert line in migrated(f"{line}\n{HEAD}")


def test_other_ways_to_import_it_and_files_of_no_program() -> None:
    text = migrated("import numpy\nimport tensorflow as tf\nx = tf.Session(), numpy.float\n")
    assert "x = tf.Session(), float\n" in text
    text = migrated("import tensorflow as tf\nx = tf.Session().run(y).tostring()\n")
    assert "tf.Session().run(y).tobytes()" in text
    check_unchanged("import numpy as np\nx = np.float\n")
    check_unchanged("import numpy as np\nimport tensorflow as tf\nx = tf.function(f), np.float\n")


def test_new_names_are_there() -> None:
    assert all(hasattr(np, name) for name in rule._OF_NUMPY.values())
    assert all(hasattr(builtins, name) for name in rule._BUILT_IN.values())
