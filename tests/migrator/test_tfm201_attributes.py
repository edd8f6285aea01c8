"""TFM201: replicated model functions that an attribute of self holds."""

from __future__ import annotations

import pytest
from support import found, migrate_tree, migrated

PROGRAM = """\
import tensorflow as tf
from tensorflow.contrib.estimator import TowerOptimizer, replicate_model_fn

opt = TowerOptimizer(tf.train.AdamOptimizer())

class Runner:
  def __init__(self, model):
    self.fn = model.model_fn

  def setup(self, config):
    {wraps}
    self.made = tf.estimator.Estimator(self.fn, config=config)
"""


@pytest.mark.parametrize(
    ("wraps", "after"),
    [
        ("self.fn = replicate_model_fn(self.fn)", "strategy = tf.distribute.MirroredStrategy()"),
        (
            "self.fn = replicate_model_fn(model_fn)",
            "strategy = tf.distribute.MirroredStrategy()\n    self.fn = model_fn",
        ),
        (
            "if FLAGS.multi_gpu:\n      self.fn = replicate_model_fn(self.fn)",
            "strategy = None\n    if FLAGS.multi_gpu:\n"
            "      strategy = tf.distribute.MirroredStrategy()",
        ),
    ],
)
def test_wrapped_in_the_method_that_builds(wraps: str, after: str) -> None:
    text = migrated(PROGRAM.format(wraps=wraps))
    assert f"\n    {after}\n    self.made = estimator.Estimator(" in text
    assert "train_distribute=strategy" in text
    assert "replicate_model_fn" not in text and "TowerOptimizer" not in text


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("  def other(self):\n    return tf.estimator.Estimator(self.fn)\n", "another function"),
        ("  def other(self):\n    return self.fn\n", "more than building Estimators"),
        ("def other(runner):\n  return runner.fn\n", "more than building Estimators"),
        ("def other(runner):\n  return tf.estimator.Estimator(runner.fn)\n", "another function"),
    ],
)
def test_other_uses_of_the_attribute(more: str, reason: str) -> None:
    program = PROGRAM.format(wraps="self.fn = replicate_model_fn(self.fn)") + more
    assert reason in found(program, "TFM203")[0].message


def test_reassigned() -> None:
    wraps = "self.fn = replicate_model_fn(self.fn)\n    self.fn = other(self)"
    assert "is reassigned" in found(PROGRAM.format(wraps=wraps), "TFM203")[0].message


def test_no_estimator() -> None:
    program = PROGRAM.format(wraps="self.fn = replicate_model_fn(self.fn)")
    program = program.replace("Estimator(self.fn, ", "Estimator(model_fn, ")
    assert "no tf.estimator.Estimator is built" in found(program, "TFM203")[0].message


def test_read_in_another_file() -> None:
    program = PROGRAM.format(wraps="self.fn = replicate_model_fn(self.fn)")
    other = "import tensorflow as tf\nimport runner\nfn = runner.Runner(None).fn\n"
    texts, findings = migrate_tree({"runner.py": program, "other.py": other})
    assert "runner.py" not in texts
    assert any(f.code == "TFM203" and "more than building" in f.message for f in findings)
