"""What belongs together over files: all of a program is migrated, or none of it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support import migrate_tree, source

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.model.findings import Finding

TRAIN = """\
import tensorflow as tf
import model
fn = tf.contrib.estimator.replicate_model_fn(model.model_fn)
est = tf.estimator.Estimator(fn)
"""
MODEL = """\
import tensorflow as tf
def model_fn(features, labels, mode):
  opt = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
  return tf.estimator.EstimatorSpec(mode, train_op=opt.minimize(features))
"""
HAZARD = "  w = tf.Variable(1.0)\n"
TRAP = "is_chief = lambda: tf.get_variable_scope().reuse\n"


def codes(told: list[Finding]) -> list[tuple[str, str]]:
    return [(f.path, f.code) for f in told]


@pytest.mark.parametrize(
    "files",
    [
        {"train.py": TRAIN, "model.py": MODEL},
        {"train.py": TRAIN.replace("import model", "from . import model"), "model.py": MODEL},
        {
            "trainer/task.py": TRAIN.replace("import model", "from trainer import model"),
            "trainer/model.py": MODEL,
            "trainer/__init__.py": "",
        },
        {
            "trainer/task.py": TRAIN.replace("import model", "import trainer.model as model"),
            "trainer/model.py": MODEL,
        },
        {
            "bin/train.py": TRAIN.replace("import model", "import nets as model"),
            "nets/__init__.py": "from nets.deep import model_fn\n",
            "nets/deep/__init__.py": "from .dense import model_fn\n",
            "nets/deep/dense.py": MODEL,
        },
        {
            "bin/train.py": TRAIN.replace("import model", "from ..nets import model"),
            "nets/model.py": MODEL,
        },
        {
            "main.py": "from a import train\nfrom b import model  # tensorflow\n",
            "a/train.py": TRAIN.replace("import model\n", "").replace("model.model_fn", "f"),
            "b/model.py": MODEL,
        },
        {
            "main.py": "def main():\n  import train\n  import model\n",
            "train.py": TRAIN.replace("import model\n", "").replace("model.model_fn", "f"),
            "model.py": MODEL,
        },
    ],
)
def test_wrapper_and_optimizer_in_two_files(files: dict[str, str]) -> None:
    changed, told = migrate_tree(files)
    assert len(changed) == 2
    assert all("contrib" not in text and "tf.estimator" not in text for text in changed.values())
    assert {f.severity.value for f in told} == {"fixed"}
    assert migrate_tree(files | changed) == ({}, [])


def two_programs(**changes: str) -> dict[str, str]:
    files = {
        "a/train.py": TRAIN.replace("import model", "from a import model"),
        "a/model.py": MODEL,
        "a/eval.py": "import tensorflow as tf\nfrom a import model\n"
        "est = tf.estimator.Estimator(model.model_fn)\ntf.logging.info('done')\n",
        "b/train.py": TRAIN.replace("import model", "from b import model"),
        "b/model.py": MODEL,
    }
    return files | changes


def test_two_programs_do_not_hold_each_other_back() -> None:
    files = two_programs(**{"a/model.py": MODEL + TRAP})
    for unsafe in (False, True):
        changed, told = migrate_tree(files, unsafe=unsafe)
        # eval.py shares model.py with the program that waits.
        assert sorted(changed) == ["b/model.py", "b/train.py"]
        assert ("a/model.py", "TFM207") in codes(told)
        held = [f for f in told if f.path.startswith("a/") and f.code in ("TFM201", "TFM202")]
        assert [(f.severity.value, f.applied) for f in held] == [("manual", False)] * 2
        assert {f.action for f in held} == {"resolve TFM207 at a/model.py:5:20 first"}


def test_unsafe_migrates_what_is_unsafe_and_says_so() -> None:
    hazard = MODEL.replace("  opt", f"{HAZARD}  opt")
    files = two_programs(**{"a/model.py": hazard})
    changed, told = migrate_tree(files)
    assert sorted(changed) == ["b/model.py", "b/train.py"]
    changed, told = migrate_tree(files, unsafe=True)
    assert sorted(changed) == sorted(files)
    (finding,) = [f for f in told if f.code == "TFM209"]
    assert (finding.severity.value, finding.applied) == ("unsafe", True)
    assert migrate_tree(files | changed, unsafe=True)[0] == {}


def test_an_unsafe_place_does_not_lift_a_manual_one() -> None:
    files = {"train.py": TRAIN, "model.py": MODEL.replace("  opt", f"{HAZARD}  opt") + TRAP}
    changed, told = migrate_tree(files, unsafe=True)
    assert changed == {}
    assert [(f.code, f.applied) for f in told if f.code == "TFM209"] == [("TFM209", False)]


def test_shared_helper_joins_programs_where_it_is_to_change() -> None:
    helper = "import tensorflow as tf\nHOOK = tf.estimator.SessionRunHook\n"
    files = two_programs(**{"shared.py": helper})
    files = {
        name: f"import shared\n{text}" if "model" in name else text for name, text in files.items()
    }
    assert "shared.py" in migrate_tree(files)[0]
    files["a/train.py"] += TRAP
    files["a/model.py"] += TRAP
    assert migrate_tree(files)[0] == {}


def test_shared_helper_that_does_not_change_joins_nothing() -> None:
    helper = "import tensorflow as tf\ndef net(x):\n  return tf.matmul(x, x)\n"
    files = two_programs(**{"shared.py": helper})
    files = {
        name: f"import shared\n{text}" if "model" in name else text for name, text in files.items()
    }
    files["a/model.py"] += TRAP
    assert sorted(migrate_tree(files)[0]) == ["b/model.py", "b/train.py"]


@pytest.mark.parametrize("ignore", [("TFM209",), ("TFM2",), ("TFM20", "TFM1")])
def test_ignored_hazard_no_longer_blocks(ignore: tuple[str, ...]) -> None:
    files = {"train.py": TRAIN, "model.py": MODEL.replace("  opt", f"{HAZARD}  opt")}
    changed, told = migrate_tree(files, ignore=ignore)
    assert not [f for f in told if f.code == "TFM209"]
    if ignore == ("TFM209",):
        assert sorted(changed) == ["model.py", "train.py"]
    else:
        assert changed == {}  # the edits of TFM201 and TFM202 are ignored too, and hold the rest


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ({"ignore": ("TFM202",)}, "TFM202"),
        ({"select": ("TFM201", "TFM601", "TFM701")}, "TFM202"),
        ({"ignore": ("TFM601",)}, "TFM601"),
        ({"select": ("TFM2",)}, "TFM601, TFM701"),
    ],
)
def test_deselected_edit_holds_its_group(options: dict[str, tuple[str, ...]], missing: str) -> None:
    changed, told = migrate_tree({"train.py": TRAIN, "model.py": MODEL}, **options)
    assert changed == {}
    assert told
    assert {f.action for f in told} == {f"needs {missing} (not selected)"}


def test_selected_rule_alone_in_a_file_without_a_group() -> None:
    files = {"a.py": "import tensorflow as tf\ntf.estimator.Estimator(tf.layers.dense)\n"}
    changed, _ = migrate_tree(files, select=("TFM601", "TFM7"))
    assert sorted(changed) == ["a.py"]


def test_select_shows_only_what_was_selected() -> None:
    files = {
        "a.py": "import tensorflow.compat.v1 as tf\ntf.contrib.layers.x(tf.estimator.KMeans)\n"
    }
    assert codes(migrate_tree(files, select=("TFM702",))[1]) == [("a.py", "TFM702")]
    assert codes(migrate_tree(files, ignore=("TFM702",))[1]) == [("a.py", "TFM602")]


def test_broken_file_leaves_the_others_alone() -> None:
    files = {"train.py": TRAIN, "model.py": MODEL, "old.py": "import tensorflow\nprint 'x'\n"}
    changed, told = migrate_tree(files)
    assert sorted(changed) == ["model.py", "train.py"]
    assert ("old.py", "TFM900") in codes(told)


def test_files_that_import_each_other() -> None:
    files = {"train.py": TRAIN, "model.py": "import train\n" + MODEL}
    assert sorted(migrate_tree(files)[0]) == ["model.py", "train.py"]


def test_order_of_the_files_does_not_matter() -> None:
    files = two_programs(**{"a/model.py": MODEL.replace("  opt", f"{HAZARD}  opt")})
    files["c/model.py"] = "import b.model\n" + MODEL
    shuffle = random.Random(2).shuffle
    seen = set()
    names = sorted(files)
    for _ in range(6):
        shuffle(names)
        changed, told = migrate_tree({name: files[name] for name in names})
        seen.add((tuple(sorted(changed.items())), tuple(map(repr, told))))
    assert len(seen) == 1


def test_findings_are_in_the_order_of_the_text() -> None:
    _, told = migrate_tree(two_programs(**{"a/model.py": MODEL + TRAP}))
    places = [(f.path, f.line, f.column) for f in told]
    assert places == sorted(places)


def test_path_that_is_not_there_is_no_crash() -> None:
    result = migrate([source(Path("/nowhere/train.py"), TRAIN)], Options(), [Path("/nowhere")])
    assert result.texts == {}


@pytest.mark.parametrize(
    ("helper", "is_free"),
    [
        # TensorFlow 1.15 has compat.v1, and cannot import the runtime.
        ("x = tf.placeholder(tf.float32)\n", True),
        ("step = tf.contrib.framework.get_global_step()\n", True),
        ("TRAIN = tf.estimator.ModeKeys.TRAIN\n", False),
        ("hparams = tf.contrib.training.HParams(rate=0.1)\n", False),
        ("def net(x):\n  return tf.contrib.layers.batch_norm(x)\n", False),
        # Its compat.v1 has no tf.contrib.
        ("x = tf.placeholder(tf.float32)\ntrain = tf.contrib.gan.gan_train\n", False),
    ],
)
def test_a_helper_changes_by_itself_where_both_tensorflows_run_it(
    helper: str, is_free: bool
) -> None:
    files = two_programs(**{"shared.py": f"import tensorflow as tf\n{helper}"})
    files = {
        name: f"import shared\n{text}" if "model" in name else text for name, text in files.items()
    }
    assert "shared.py" in migrate_tree(files)[0]
    files["a/model.py"] += TRAP
    changed, _ = migrate_tree(files)
    assert sorted(changed) == (["b/model.py", "b/train.py", "shared.py"] if is_free else [])


def test_a_program_that_keeps_its_construct_waits_for_nobody() -> None:
    helper = "import tensorflow as tf\ndef net(x):\n  return tf.contrib.layers.batch_norm(x)\n"
    loop = (
        "import tensorflow as tf\nimport shared\nfor i in range(n):\n"
        "  with tf.device('/gpu:%d' % i):\n    if i: break\n"
        "    grads.append(opt.compute_gradients(tower_loss(i)))\n"
    )
    changed, told = migrate_tree({"train.py": loop, "shared.py": helper})
    assert sorted(changed) == ["shared.py", "train.py"]
    assert [f.code for f in told if f.severity.value == "kept"] == ["TFM402"]
