"""All or nothing, over the files of a program."""

from __future__ import annotations

import pytest
from support import migrate_tree

MODEL = """\
import tensorflow as tf

def model_fn(features, labels, mode, params):
  loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
  opt = tf.train.AdamOptimizer()
  if params['multi_gpu']:
    opt = tf.contrib.estimator.TowerOptimizer(opt)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=opt.minimize(loss))
"""
TRAIN = """\
import tensorflow as tf
{imports}

def main(flags):
  fn = tf.contrib.estimator.replicate_model_fn(model.model_fn)
  est = tf.estimator.Estimator(fn, params=vars(flags))
"""
BLOCKED = MODEL.replace("  opt = tf.train", "  c = tf.get_variable_scope().reuse\n  opt = tf.train")


@pytest.mark.parametrize(
    "files",
    [
        {"train.py": TRAIN.format(imports="import model"), "model.py": MODEL},
        {
            "app/train.py": TRAIN.format(imports="from nets import model"),
            "app/nets/__init__.py": "",
            "app/nets/model.py": MODEL,
        },
        {
            "pkg/__init__.py": "",
            "pkg/train.py": TRAIN.format(imports="from . import model"),
            "pkg/model.py": MODEL,
        },
        {
            "pkg/__init__.py": "",
            "pkg/bin/train.py": TRAIN.format(imports="from pkg.nets import model"),
            "pkg/nets/__init__.py": "from pkg.nets.cnn import model_fn\n",
            "pkg/nets/cnn.py": MODEL,
        },
        {
            # The entry script brings both together.
            "main.py": "import tensorflow as tf\nimport train\nimport model\n",
            "train.py": TRAIN.format(imports=""),
            "model.py": MODEL,
        },
    ],
    ids=["beside", "package", "relative", "through __init__", "by a third file"],
)
def test_wrapper_and_optimizer_in_different_files(files: dict[str, str]) -> None:
    changed, findings = migrate_tree(files)
    assert len([name for name in changed if "contrib" not in changed[name]]) >= 2
    assert [f for f in findings if not f.applied] == []


def test_a_file_that_blocks_holds_back_all_files_of_its_program() -> None:
    changed, findings = migrate_tree(
        {"train.py": TRAIN.format(imports="import model"), "model.py": BLOCKED}
    )
    assert changed == {}
    told = {(f.path, f.code): f.action for f in findings}
    assert told["train.py", "TFM201"] == "resolve TFM207 at model.py:5:7 first"
    assert told["model.py", "TFM202"] == "resolve TFM207 at model.py:5:7 first"


def test_programs_do_not_hold_each_other_back() -> None:
    changed, findings = migrate_tree(
        {
            "good/train.py": TRAIN.format(imports="import model"),
            "good/model.py": MODEL,
            "bad/train.py": TRAIN.format(imports="import model"),
            "bad/model.py": BLOCKED,
        }
    )
    assert sorted(changed) == ["good/model.py", "good/train.py"]
    assert {f.path.split("/")[0] for f in findings if not f.applied} == {"bad"}


def test_a_shared_helper_does_not_tie_programs_together() -> None:
    """Only its import changes, to what both TensorFlows have."""
    train = TRAIN.format(imports="import MODEL\nimport layers").replace("model.", "MODEL.")
    layers = "import tensorflow as tf\n\ndef v():\n  return tf.get_variable('v', [2])\n"
    changed, _ = migrate_tree(
        {
            "good.py": train.replace("MODEL", "model"),
            "model.py": MODEL,
            "bad.py": train.replace("MODEL", "blocked").replace(
                "model.model_fn", "blocked.model_fn"
            ),
            "blocked.py": BLOCKED,
            "layers.py": layers,
        }
    )
    assert sorted(changed) == ["good.py", "layers.py", "model.py"]


def test_files_of_tensorflow_1_are_migrated_and_others_are_not() -> None:
    helper = "import tensorflow as tf\n\ndef v():\n  return tf.get_variable('v', [2])\n"
    files = {
        "train.py": TRAIN.format(imports="import model\nimport layers"),
        "model.py": MODEL,
        "layers.py": helper,
        "unrelated.py": helper,
        "modern.py": "import tensorflow as tf\n\nx = tf.random.uniform([2])\n",
    }
    changed, _ = migrate_tree(files)
    assert sorted(changed) == ["layers.py", "model.py", "train.py", "unrelated.py"]
    assert changed["layers.py"] == helper.replace("tensorflow as", "tensorflow.compat.v1 as")


def test_a_helper_passed_over_at_first_is_migrated_later() -> None:
    files = {
        "train.py": TRAIN.format(imports="import model\nimport layers"),
        "model.py": MODEL,
        "layers.py": "import tensorflow as tf\n\ndef v():\n  return tf.get_variable('v', [2])\n",
    }
    changed, _ = migrate_tree({k: v for k, v in files.items() if k != "layers.py"})
    later, _ = migrate_tree({**files, **changed})
    assert sorted(later) == ["layers.py"]


def test_a_rule_that_is_not_selected_holds_its_group_back() -> None:
    files = {"train.py": TRAIN.format(imports="import model"), "model.py": MODEL}
    changed, findings = migrate_tree(files, ignore=("TFM701",))
    assert changed == {}
    assert {f.action for f in findings if f.code in ("TFM201", "TFM202")} == {
        "needs TFM701 (not selected)"
    }
    assert migrate_tree(files, select=("TFM9",)) == ({}, [])


def test_the_order_of_findings_does_not_depend_on_the_order_of_files() -> None:
    files = {"train.py": TRAIN.format(imports="import model"), "model.py": BLOCKED}
    _, first = migrate_tree(files)
    _, second = migrate_tree(dict(reversed(files.items())))
    assert [(f.path, f.line, f.code) for f in first] == [(f.path, f.line, f.code) for f in second]


def test_a_file_that_does_not_parse_stops_nobody() -> None:
    files = {
        "train.py": TRAIN.format(imports="import model"),
        "model.py": MODEL,
        "broken.py": "import tensorflow as tf\ndef f(:\n",
        "old.py": "import tensorflow as tf\nprint 'hello'\n",
    }
    changed, findings = migrate_tree(files)
    assert sorted(changed) == ["model.py", "train.py"]
    errors = {f.path: f for f in findings if f.severity.value == "error"}
    assert sorted(errors) == ["broken.py", "old.py"]
    assert (errors["broken.py"].line, errors["broken.py"].code) == (2, "TFM900")
    assert "Python 2" in errors["old.py"].message


SHARED = {
    "train.py": "import tensorflow as tf\nimport helper\ntf.Session()\nhelper.drop(x)\n",
    "new.py": "import tensorflow as tf\nimport helper\n@tf.function\ndef step(x):\n"
    "  return helper.drop(x)\nstep(1)\n",
}


@pytest.mark.parametrize(
    ("call", "reported"),
    [
        ("tf.nn.dropout(x, 0.9)", True),
        ("tf.summary.scalar('x', x)", True),
        ("tf.nn.dropout(x, rate=0.1)", False),
        ("tf.compat.v1.nn.dropout(x, 0.9)", False),
        ("tf.reduce_sum(x, 1)", False),
    ],
)
def test_a_helper_of_both_generations(call: str, reported: bool) -> None:
    helper = f"import tensorflow as tf\ndef drop(x):\n  return {call}\n"
    changed, findings = migrate_tree({**SHARED, "helper.py": helper})
    assert list(changed) == ["train.py"]
    told = [f for f in findings if f.path == "helper.py"]
    assert [(f.code, f.line, f.severity.value) for f in told] == [
        ("TFM708", 3, "manual")
    ] * reported
    assert all("train.py" in f.message and "new.py" in f.message for f in told)
    _, findings = migrate_tree({"train.py": SHARED["train.py"], "helper.py": helper})
    assert "TFM708" not in {f.code for f in findings}
