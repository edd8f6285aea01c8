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
        ("from utils.replicate_model_fn import TowerOptimizer\n", 1),
        ("from .replicate_model_fn import replicate_model_fn as wrap\n", 1),
        ("from utils import replicate_model_fn\n", 1),
        ("import utils.replicate_model_fn as towers\n", 1),
        ("if old:\n  from utils import TowerOptimizer\n", 2),
    ],
)
def test_copy_is_reported(text: str, line: int) -> None:
    for unsafe in (False, True):
        check_unchanged(text, unsafe=unsafe)
        (finding,) = found(text, CODE, unsafe=unsafe)
        assert (finding.line, finding.severity.value, finding.applied) == (line, "manual", False)
        assert finding.action


def test_the_program_that_uses_it_waits() -> None:
    files = {
        "replicate_model_fn.py": """\
            import tensorflow as tf
            def replicate_model_fn(model_fn):
              return model_fn
            class TowerOptimizer(tf.train.Optimizer):
              pass
            """,
        "train.py": """\
            import tensorflow as tf
            import model
            from replicate_model_fn import replicate_model_fn
            est = tf.estimator.Estimator(replicate_model_fn(model.model_fn))
            """,
        "model.py": """\
            import tensorflow as tf
            def model_fn(features):
              opt = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
              return tf.estimator.EstimatorSpec(opt)
            """,
        "alone.py": """\
            import tensorflow as tf
            est = tf.estimator.Estimator(model_fn)
            """,
    }
    for unsafe in (False, True):
        changed, reported = migrate_tree(files, unsafe=unsafe)
        assert sorted(changed) == ["alone.py"]
        assert [(f.path, f.line) for f in reported if f.code == CODE] == [
            ("replicate_model_fn.py", 2),
            ("replicate_model_fn.py", 4),
            ("train.py", 3),
        ]
