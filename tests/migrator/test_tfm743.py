"""TFM743: libraries of custom operations."""

from __future__ import annotations

import pytest
from support import found, migrate_tree

LOAD = "import tensorflow as tf\nops = tf.load_op_library('ops.so')\n"
TRAIN = "x = tf.placeholder(tf.float32)\n"


@pytest.mark.parametrize(
    "text",
    [
        LOAD,  # nothing here is of TensorFlow 1.x
        f"import tensorflow as tf\n{TRAIN}ops.load_op_library('ops.so')\n",
        "import tensorflow as tf\nif tf.__version__ < '2':\n"
        f"  ops = tf.load_op_library('ops.so')\n{TRAIN}",
        f"import tensorflow.compat.v1 as tf\nops = tf.load_op_library('ops.so')\n{TRAIN}",
    ],
)
def test_others_are_not_reported(text: str) -> None:
    assert not found(text, "TFM743")


@pytest.mark.parametrize(
    "load",
    [
        "a = tf.load_op_library('a.so')\nb = tf.load_op_library('b.so')",
        "tf.load_library('a.so')",
        "from tensorflow.python.framework import load_library as l; l.load_op_library('a.so')",
    ],
)
def test_the_first_library_of_a_file_is_reported(load: str) -> None:
    (finding,) = found(f"import tensorflow as tf\n{load}\n{TRAIN}", "TFM743")
    assert (finding.line, finding.severity.value) == (2, "manual")


def test_a_file_of_a_program_need_not_use_tensorflow_1_itself() -> None:
    tree = {"own_ops.py": LOAD, "train.py": f"import own_ops\nimport tensorflow as tf\n{TRAIN}"}
    findings = migrate_tree(tree)[1]
    assert [(f.path, f.line) for f in findings if f.code == "TFM743"] == [("own_ops.py", 2)]
