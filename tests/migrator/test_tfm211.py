"""TFM211: a project's own copy of replicate_model_fn.py."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrate_tree

CODE = "TFM211"


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\n",
        "import tensorflow as tf\nf = tf.contrib.estimator.replicate_model_fn\n",
        "from tensorflow.contrib.estimator import replicate_model_fn, TowerOptimizer\n",
        "from tensorflow.contrib.estimator.python.estimator.replicate_model_fn import "
        "TowerOptimizer\n",
        "from mine import my_replicate_model_fn\n",
        "# def replicate_model_fn(): pass\nx = 'TowerOptimizer'  # tensorflow\n",
        "class A:\n  def replicate_model_fn(self):\n    pass\n",
    ],
)
def test_no_copy(text: str) -> None:
    assert not found(text, CODE)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def replicate_model_fn(model_fn):\n  return model_fn\n", 1),
        ("import os\nclass TowerOptimizer(object):\n  pass\n", 2),
    ],
)
def test_copy_is_kept(text: str, line: int) -> None:
    for unsafe in (False, True):
        check_unchanged(text, unsafe=unsafe)
        (finding,) = found(text, CODE, unsafe=unsafe)
        assert (finding.line, finding.severity.value, finding.applied) == (line, "kept", False)
        assert finding.action


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("from utils.replicate_model_fn import TowerOptimizer\n", 1),
        ("from .replicate_model_fn import replicate_model_fn as wrap\n", 1),
        ("from utils import replicate_model_fn\n", 1),
        ("import utils.replicate_model_fn as towers\n", 1),
        ("if old:\n  from utils import TowerOptimizer\n", 2),
    ],
)
def test_copy_that_is_not_in_the_run(text: str, line: int) -> None:
    for unsafe in (False, True):
        check_unchanged(text, unsafe=unsafe)
        (finding,) = found(text, CODE, unsafe=unsafe)
        assert (finding.line, finding.severity.value, finding.applied) == (line, "manual", False)
        assert finding.action


COPY = """\
    import tensorflow as tf
    from tensorflow.python.estimator import util
    def replicate_model_fn(model_fn):
      return model_fn if 'params' in util.fn_args(model_fn) else None
    class TowerOptimizer(tf.train.Optimizer):
      pass
    """


@pytest.mark.parametrize(
    ("statement", "wrapper", "optimizer"),
    [
        ("import towers", "towers.replicate_model_fn", "towers.TowerOptimizer"),
        ("import towers as t", "t.replicate_model_fn", "t.TowerOptimizer"),
        ("from towers import *", "replicate_model_fn", "TowerOptimizer"),
        (
            "from towers import replicate_model_fn, TowerOptimizer",
            "replicate_model_fn",
            "TowerOptimizer",
        ),
        (
            "try:\n  from towers import replicate_model_fn as wrap, TowerOptimizer\n"
            "except ImportError:\n  raise",
            "wrap",
            "TowerOptimizer",
        ),
    ],
)
def test_the_program_keeps_it(statement: str, wrapper: str, optimizer: str) -> None:
    train = f"""\
import tensorflow as tf
{statement}
def model_fn(features, labels, mode, params):
  loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
  op = {optimizer}(tf.train.AdamOptimizer()).minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=op)
est = tf.estimator.Estimator({wrapper}(model_fn), params={{}})
est.train(make_input)
"""
    for unsafe in (False, True):
        changed, reported = migrate_tree({"towers.py": COPY, "train.py": train}, unsafe=unsafe)
        assert sorted(changed) == ["towers.py", "train.py"]
        assert f"{wrapper}(model_fn)" in changed["train.py"]
        assert f"{optimizer}(tf.train.AdamOptimizer())" in changed["train.py"]
        assert "MirroredStrategy" not in changed["train.py"]
        assert "from tensorflow.python.util import function_utils as util" in changed["towers.py"]
        left = [(f.path, f.line, f.code, f.severity.value) for f in reported if not f.applied]
        assert left == [("towers.py", 3, CODE, "kept"), ("towers.py", 5, CODE, "kept")]


def test_the_copy_of_one_program_beside_tensorflows_of_another() -> None:
    """Files that share a model: each keeps what it uses."""
    files = {
        "towers.py": COPY,
        "mine.py": """\
            import tensorflow as tf
            import model
            from towers import replicate_model_fn, TowerOptimizer
            est = tf.estimator.Estimator(replicate_model_fn(model.model_fn(TowerOptimizer)))
            """,
        "theirs.py": """\
            import tensorflow as tf
            import model
            from tensorflow.contrib.estimator import TowerOptimizer, replicate_model_fn
            est = tf.estimator.Estimator(replicate_model_fn(model.model_fn(TowerOptimizer)))
            """,
        "model.py": """\
            import tensorflow as tf
            def model_fn(wrap):
              return lambda features: wrap(tf.train.AdamOptimizer())
            """,
    }
    changed, _ = migrate_tree(files)
    assert "replicate_model_fn(model.model_fn" in changed["mine.py"]
    assert "from towers import" in changed["mine.py"]
