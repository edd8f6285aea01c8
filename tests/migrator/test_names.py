"""What a name stands for."""

from __future__ import annotations

import ast
import textwrap

import pytest

from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.names import Names


def resolved(text: str) -> list[str | None]:
    """Returns what each argument of the calls of ``look`` stands for."""
    tree = ast.parse(textwrap.dedent(text))
    names = Names(tree)
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    looks = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "look"]
    return [names.resolve(c.args[0]) for c in sorted(looks, key=lambda c: c.lineno)]


@pytest.mark.parametrize(
    "text",
    [
        "look(tf.layers)",
        "tf = object()\nlook(tf.layers)",
        "import tensorflow as tf\ndef f(tf):\n  look(tf.layers)",
        "import tensorflow as tf\ndef f():\n  tf = 1\n  look(tf.layers)",
        "import tensorflow as tf\nfor tf in []: pass\nlook(tf.layers)",
        "import tensorflow as tf\nimport torch as tf\nlook(tf.layers)",
        "import tensorflow as tf\nwith x as tf:\n  look(tf.layers)",
        "import tensorflow as tf\nlook([tf.x for tf in y])",
        "import tensorflow as tf\nlook(tf().layers)",
        "import tensorflow as tf\nlook(tf['a'].layers)",
        "import tensorflow as tf\ndef tf(): pass\nlook(tf.layers)",
        "import tensorflow as tf\ntf, x = 1, 2\nlook(tf.layers)",
        "class A:\n  import tensorflow as tf\n  def f(self):\n    look(tf.layers)",
        "import tensorflow as tf\nclass A:\n  def tf(self): pass\n  x = look(tf.layers)",
        "import tensorflow as tf\nf = lambda tf: look(tf.layers)",
        "import tensorflow as tf\ntry: pass\nexcept E as tf:\n  look(tf.layers)",
        "import tensorflow as tf\nlayers = tf.layers\nlayers = other\nlook(layers)",
        "a = b\nb = a\nlook(a)",
    ],
)
def test_not_resolved(text: str) -> None:
    assert resolved(text) == [None]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import tensorflow as tf\nlook(tf.layers)", "tensorflow.layers"),
        ("import tensorflow\nlook(tensorflow.layers)", "tensorflow.layers"),
        ("import tensorflow.compat.v1 as tf\nlook(tf.layers)", "tensorflow.layers"),
        ("import tensorflow as tf\nlook(tf.compat.v1.layers)", "tensorflow.layers"),
        ("from tensorflow import contrib\nlook(contrib.x)", "tensorflow.contrib.x"),
        ("from tensorflow.contrib import x as y\nlook(y.z)", "tensorflow.contrib.x.z"),
        ("import tensorflow.contrib.learn as l\nlook(l.z)", "tensorflow.contrib.learn.z"),
        ("import tensorflow.contrib.learn\nlook(tensorflow.nn)", "tensorflow.nn"),
        (
            "import tensorflow as tf\nlayers = tf.contrib.x\nlook(layers.y)",
            "tensorflow.contrib.x.y",
        ),
        ("import tensorflow as tf\ndef f():\n  look(tf.layers)", "tensorflow.layers"),
        (
            "import tensorflow as tf\nclass A:\n  tf = 1\n  def f(self):\n    look(tf.x)",
            "tensorflow.x",
        ),
        ("try:\n  import tensorflow as tf\nexcept E:\n  tf = None\nlook(tf.x)", "tensorflow.x"),
        ("import tensorflow as t\nimport tensorflow.compat.v1 as t\nlook(t.x)", "tensorflow.x"),
        (
            "def f():\n  global tf\n  import tensorflow as tf\ndef g():\n  look(tf.x)",
            "tensorflow.x",
        ),
        ("import tensorflow as tf\nx = [look(tf.x) for a in b]", "tensorflow.x"),
        (
            "from tensorflow.contrib.estimator.python.estimator.replicate_model_fn "
            "import TowerOptimizer as T\nlook(T)",
            "tensorflow.contrib.estimator.TowerOptimizer",
        ),
        # A class body reads what it has not bound yet from around it.
        ("import tensorflow as tf\nclass A:\n  tf = look(tf.x)", "tensorflow.x"),
        (
            "from tensorflow import nn\nclass A:\n  def nn(self, f=look(nn.x)): pass",
            "tensorflow.nn.x",
        ),
        ("import tensorflow as tf\nclass A:\n  tf = tf\n  look(tf.x)", "tensorflow.x"),
        (
            "from tensorflow import nn\nclass A:\n  nn = 1\n  class B:\n    nn = look(nn.x)",
            "tensorflow.nn.x",
        ),
        ("from .nets import x\nlook(x.y)", ".nets.x.y"),
        ("from . import x\nlook(x)", ".x"),
    ],
)
def test_resolved(text: str, name: str) -> None:
    assert resolved(text) == [name]


@pytest.mark.parametrize(
    ("name", "public"),
    [
        ("tensorflow.compat.v1", "tensorflow"),
        ("tensorflow.compat.v1.compat.v1.x", "tensorflow.x"),
        ("tensorflow.compat.v1x", "tensorflow.compat.v1x"),
        ("tensorflow.compat.v2.x", "tensorflow.compat.v2.x"),
        ("tensorflow.python.estimator.run_config.RunConfig", "tensorflow.estimator.RunConfig"),
        ("numpy.x", "numpy.x"),
    ],
)
def test_canonical(name: str, public: str) -> None:
    assert canonical(name) == public


@pytest.mark.parametrize(
    ("name", "public"),
    [
        (
            "contrib.rnn.python.ops.rnn.stack_bidirectional_rnn",
            "contrib.rnn.stack_bidirectional_rnn",
        ),
        (
            "contrib.opt.python.training.nadam_optimizer.NadamOptimizer",
            "contrib.opt.NadamOptimizer",
        ),
        ("contrib.rnn.python.ops.rnn", "contrib.rnn.python.ops.rnn"),
        ("contrib.rnn.python.ops.core_rnn_cell._linear", "contrib.rnn._linear"),
        ("nn.seq2seq.sequence_loss", "contrib.legacy_seq2seq.sequence_loss"),
        ("python.ops.rnn", "python.ops.rnn"),
    ],
)
def test_deep_names_stand_for_public_ones(name: str, public: str) -> None:
    assert canonical(f"tensorflow.{name}") == f"tensorflow.{public}"


def test_names_that_may_stand_for_a_package() -> None:
    text = """\
    import tensorflow as tf
    import tensorflow_estimator as te
    import tensorflow.compat.v1
    import numpy as np
    from .models import net
    layers = tf.contrib.layers
    def f(x):
        conv = layers.conv2d
        y = conv(x)
        z: int = y
        both = np
    both = later
    later = conv
    """
    names = Names(ast.parse(textwrap.dedent(text)))
    found = {"tf", "te", "tensorflow", "layers", "conv", "later", "both"}
    assert names.roots_of("tensorflow") == found
