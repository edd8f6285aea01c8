from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from support import source

from tfmigrate.resolve.module import Module
from tfmigrate.resolve.references import references


def needed(text: str) -> list[str]:
    """Returns what a text needs: the ways to each name, joined by " or "."""
    module = Module(source(Path("/nowhere/program.py"), textwrap.dedent(text)))
    return [
        " or ".join(f"{c.module}:{c.member}:{c.attributes}" for c in reference.chains)
        for reference in references(module)
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import tensorflow as tf\ntf.train.Saver()", ["tensorflow::", "tensorflow::train.Saver"]),
        (
            "import tensorflow.compat.v1 as tf\ntf.train.Saver()",
            ["tensorflow.compat.v1::", "tensorflow.compat.v1::train.Saver"],
        ),
        (
            "from tensorflow.python.framework import ops\nops.Tensor",
            ["tensorflow.python.framework:ops:", "tensorflow.python.framework:ops:Tensor"],
        ),
        (
            "import tensorflow.python.ops\ntensorflow.python.ops.x\ntensorflow.constant(1)",
            ["tensorflow.python.ops::", "tensorflow.python.ops::x", "tensorflow::constant"],
        ),
        ("from tf_slim import *", ["tf_slim::"]),
        (
            "from tfmigrate_runtime import learn\nlearn.Experiment",
            ["tfmigrate_runtime:learn:", "tfmigrate_runtime:learn:Experiment"],
        ),
        (
            "import tensorflow as tf\nlayers = tf.contrib.layers\nlayers.flatten(x)",
            ["tensorflow::", "tensorflow::contrib.layers", "tensorflow::contrib.layers.flatten"],
        ),
        ("from .tensorflow import x\nimport numpy as np\nnp.zeros(x.y)", []),
        ("import tensorflow as tf\ndef f(tf):\n  return tf.contrib", ["tensorflow::"]),
        (
            "import tensorflow as tf\ntf.flags.FLAGS.x = tf.constant(1)",
            ["tensorflow::", "tensorflow::flags.FLAGS", "tensorflow::constant"],
        ),
    ],
)
def test_what_a_file_needs(text: str, names: list[str]) -> None:
    assert needed(text) == names


GUARDED = {
    "imports": """
        try:
            import tensorflow.compat.v1 as tf
        except ImportError:
            import tensorflow as tf
        tf.Session()
        """,
    "alias": """
        import tensorflow as tf
        try:
            cell = tf.contrib.rnn.LSTMCell
        except AttributeError:
            cell = None
        """,
    "hasattr": """
        import tensorflow as tf
        if hasattr(tf, 'contrib'):
            tf.contrib.layers
        x = tf.contrib.layers if hasattr(tf, 'contrib') else None
        y = hasattr(tf, 'contrib') and tf.contrib.layers
        """,
    "version": """
        import tensorflow as tf
        from packaging.version import Version
        is_old = Version(tf.__version__) < Version('2')
        if is_old:
            tf.contrib.layers
        if tf.VERSION.startswith('1.'):
            tf.contrib.layers
        """,
    "any error of imports": """
        try:
            from tensorflow.contrib import layers
        except Exception:
            layers = None
        """,
}


@pytest.mark.parametrize("text", GUARDED.values(), ids=GUARDED.keys())
def test_what_is_guarded_is_not_needed(text: str) -> None:
    alone = {
        "tensorflow::",
        "tensorflow::VERSION.startswith",
        "tensorflow::__version__",
        "tensorflow.compat.v1::Session or tensorflow::Session",
    }
    assert set(needed(text)) <= alone


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    tf.contrib.layers\nexcept ValueError:\n    pass",
        "try:\n    tf.contrib.layers\n    train()\nexcept Exception:\n    pass",
        "if FLAGS.model_version == 2:\n    tf.contrib.layers",
        "if tf.contrib.layers:\n    pass",
        "tf.contrib.layers and hasattr(tf, 'x')",
    ],
)
def test_other_conditions_guard_nothing(text: str) -> None:
    assert "tensorflow::contrib.layers" in needed(f"import tensorflow as tf\n{text}\n")
