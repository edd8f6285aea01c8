"""TFM204: only one of replicate_model_fn and TowerOptimizer was found."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrate_tree, migrated

WRAPPER = """\
import tensorflow as tf
from model import model_fn
fn = tf.contrib.estimator.replicate_model_fn(model_fn)
est = tf.estimator.Estimator(fn)
"""
OPTIMIZER = """\
import tensorflow as tf
def model_fn(features, labels, mode):
  opt = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
  return tf.estimator.EstimatorSpec(mode, train_op=opt.minimize(features))
"""


@pytest.mark.parametrize(
    "files",
    [
        {"train.py": WRAPPER, "model.py": OPTIMIZER},
        {"train.py": WRAPPER + "opt = tf.contrib.estimator.TowerOptimizer(o)\n", "model.py": ""},
        {
            "main.py": "import train, optim  # tensorflow\n",
            "train.py": WRAPPER,
            "optim.py": OPTIMIZER,
        },
        {"train.py": "import tensorflow as tf\ntf.contrib.estimator\n"},
        {"train.py": "# replicate_model_fn\nimport tensorflow as tf\n"},
    ],
)
def test_both_halves_or_none(files: dict[str, str]) -> None:
    _, reported = migrate_tree(files)
    assert not [f for f in reported if f.code == "TFM204"]


@pytest.mark.parametrize(
    ("text", "line", "missing"),
    [(WRAPPER, 3, "TowerOptimizer"), (OPTIMIZER, 3, "replicate_model_fn")],
)
def test_one_half(text: str, line: int, missing: str) -> None:
    check_unchanged(text)
    (finding,) = found(text, "TFM204")
    assert (finding.line, finding.severity.value, finding.applied) == (line, "unsafe", False)
    assert f"without {missing} " in finding.message
    after = migrated(text, unsafe=True)
    assert "contrib" not in after
    assert "tf.estimator" not in after
    assert [f.applied for f in found(text, "TFM204", unsafe=True)] == [True]


def test_halves_that_do_not_import_each_other() -> None:
    changed, reported = migrate_tree({"train.py": WRAPPER, "other.py": OPTIMIZER, "model.py": ""})
    assert changed == {}
    assert [(f.path, f.line) for f in reported if f.code == "TFM204"] == [
        ("other.py", 3),
        ("train.py", 3),
    ]


def test_half_that_was_migrated_before_needs_unsafe() -> None:
    first, _ = migrate_tree({"train.py": WRAPPER, "model.py": OPTIMIZER})
    files = {"train.py": WRAPPER, "model.py": first["model.py"]}
    assert migrate_tree(files)[0] == {}
    changed, _ = migrate_tree(files, unsafe=True)
    assert changed == {"train.py": first["train.py"]}
