"""Constructs that cannot be converted stay, while their program is migrated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import check_kept, found, migrate_tree, migrated, run
from sync_support import SESSION, WRAPPED, program

from tfmigrate import cli

SETTER = "tf.train.replica_device_setter(cluster=cluster)"
EARLY = (
    "import tensorflow as tf\n\ndef build():\n"
    f"  with tf.device({SETTER}):\n"
    "    x = tf.placeholder(tf.float32, [None, 2])\n"
    "    if FLAGS.serve:\n      return x, None\n"
    "    return x, tf.contrib.layers.flatten(x)\n"
)
TOWERS = (
    "import tensorflow as tf\n"
    "for i in range(n):\n"
    "  with tf.device('/gpu:%d' % i):\n"
    "    grads.append(opt.compute_gradients(tower_loss(i)))\n"
)
_CPU = "ps_tasks=1, ps_device='/cpu:0'"
HELD = "is_chief = lambda: tf.get_variable_scope().reuse\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "early.py").write_text(EARLY)
    return tmp_path


def test_names_and_modes_change_around_it() -> None:
    after = migrated(EARLY)
    assert after.startswith("import tensorflow.compat.v1 as tf\n")
    assert "contrib" not in after
    assert f"  with tf.device({SETTER}):\n" in after
    (finding,) = found(EARLY, "TFM304")
    assert (finding.severity.value, finding.applied) == ("kept", False)
    assert finding.action.startswith(
        "no action needed: it runs as before, but not under tf.distribute"
    )
    # A second run says it again, and changes nothing.
    assert [(f.code, f.severity.value) for f in run(after).findings] == [("TFM304", "kept")]


def test_nothing_has_to_be_done(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--check", "."]) == 1
    assert cli.main(["."]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == ("1 file migrated, 2 changes; 1 kept (runs as before, not under tf.distribute).")
    assert cli.main(["--check", "."]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "No files to migrate; 1 kept (runs as before, not under tf.distribute)."


def test_every_format_knows_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["."])
    capsys.readouterr()
    assert cli.main(["--check", "--format", "json", "."]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["counts"] == {"fixed": 0, "kept": 1, "unsafe": 0, "manual": 0, "error": 0}
    assert [(f["severity"], f["state"]) for f in content["findings"]] == [("kept", "kept")]
    cli.main(["--check", "--format", "sarif", "."])
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert result["level"] == "note"
    cli.main(["--check", "--format", "github", "."])
    assert capsys.readouterr().out.startswith("::notice ")
    cli.main(["--check", "--statistics", "."])
    assert capsys.readouterr().out.split()[:3] == ["code", "kept", "files"]
    cli.main(["--check", "--report", "plan.md", "--report", "plan.html", "."])
    assert "| kept | 1 |" in (here / "plan.md").read_text()
    assert "1 kept</b>: no action needed" in (here / "plan.html").read_text()


def test_what_unsafe_would_convert_is_counted(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "early.py").unlink()
    hook = SESSION.replace("is_chief)", "is_chief, hooks=[opt.make_session_run_hook(is_chief)])")
    (here / "sync.py").write_text(program(WRAPPED, hook))
    assert cli.main(["."]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert "1 of them convertible with --unsafe" in last
    # What a first run kept can be converted later.
    assert cli.main(["--unsafe", "."]) == 0
    assert "between_graph.SyncReplicasOptimizer(" in (here / "sync.py").read_text()


def test_a_file_that_waits_for_another_reason_is_not_kept() -> None:
    files = {
        "train.py": "import tensorflow as tf\nimport model\n"
        "fn = tf.contrib.estimator.replicate_model_fn(model.model_fn)\n"
        f"est = tf.estimator.Estimator(fn)\n{HELD}",
        "model.py": "import towers\nimport tensorflow as tf\n" + HELD + "def model_fn(features):\n"
        "  opt = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())\n"
        "  return tf.estimator.EstimatorSpec(None, train_op=opt.minimize(features))\n",
        "towers.py": TOWERS.replace(":\n", ":\n  if i: break\n", 1)
        + "y = tf.contrib.layers.flatten(x)\n",
    }
    changed, told = migrate_tree(files)
    assert changed == {}
    (finding,) = [f for f in told if f.code == "TFM402"]
    assert finding.severity.value == "manual"


@pytest.mark.parametrize("tasks", ["FLAGS.ps_tasks", "ps_tasks=2"])
def test_towers_under_a_device_setter_of_one_machine(tasks: str) -> None:
    body = "".join(f"  {line}" for line in TOWERS.splitlines(keepends=True)[1:])
    text = (
        "import tensorflow as tf\n"
        f"with tf.device(tf.train.replica_device_setter({tasks})):\n"
        f"  x = tf.placeholder(tf.float32)\n{body}"
    )
    check_kept(text)
    (finding,) = found(text, "TFM402")
    assert "a graph has one strategy" in finding.message


def test_towers_under_a_device_setter_of_another_file() -> None:
    main = f"import tensorflow as tf\nimport towers\nwith tf.device({SETTER}):\n  towers.build()\n"
    changed, told = migrate_tree({"main.py": main, "towers.py": TOWERS})
    kept = [(f.path, f.code, f.action) for f in told if f.severity.value == "kept"]
    assert [(path, code) for path, code, _ in kept] == [
        ("main.py", "TFM301"),
        ("towers.py", "TFM402"),
    ]
    assert kept[0][2] == "to convert it, resolve TFM402 at towers.py:2:1 first"
    assert sorted(changed) == ["main.py", "towers.py"]
    assert not any("replica_fn" in text for text in changed.values())


def test_towers_under_a_setter_that_does_nothing_are_converted() -> None:
    text = TOWERS.replace("for", "with tf.device(tf.train.replica_device_setter(0)):\n  x = 1\nfor")
    assert "towers.central_storage_strategy(" in migrated(text)


@pytest.mark.parametrize(
    ("uses", "stays"),
    [
        ("with tf.device(device_fn):\n  a = tf.placeholder(tf.float32)\n", False),
        (
            "with tf.device(device_fn):\n  a = tf.placeholder(tf.float32)\n"
            "config = tf.estimator.RunConfig(device_fn=device_fn)\n",
            True,
        ),
        ("config = tf.estimator.RunConfig(device_fn=device_fn)\n", True),
        ("with tf.Graph().device(device_fn):\n  a = tf.placeholder(tf.float32)\n", True),
        ("with tf.device(device_fn):\n  a = tf.placeholder(tf.float32)\nrun(device_fn)\n", True),
    ],
)
def test_a_variable_that_is_needed_as_a_device_function(uses: str, stays: bool) -> None:
    after = migrated(f"import tensorflow as tf\ndevice_fn = {SETTER}\n{uses}")
    assert (f"device_fn = {SETTER}\n" in after) is stays


def test_a_variable_that_another_file_needs_as_a_device_function() -> None:
    files = {
        "cluster.py": f"import tensorflow as tf\ndevice_fn = {SETTER}\n"
        "with tf.device(device_fn):\n  a = tf.placeholder(tf.float32)\n",
        "train.py": "import tensorflow as tf\nfrom cluster import device_fn\n"
        "with tf.device(device_fn):\n  a = tf.placeholder(tf.float32)\n",
    }
    changed, _ = migrate_tree(files)
    assert f"device_fn = {SETTER}\n" in changed["cluster.py"]
    assert "with tf.device(device_fn):" in changed["train.py"]


def test_an_optimizer_whose_name_compat_v1_lacks_is_renamed_where_it_stays() -> None:
    old = WRAPPED.replace("Optimizer(", "OptimizerV2(")
    assert found(program(old), "TFM314") == []  # converted
    session = "sess = tf.Session(server.target)\n"
    (finding,) = found(program(old, session), "TFM314")
    assert finding.severity.value == "fixed"
    assert migrated(program(old, session)) == migrated(program(WRAPPED, session))
    (kept,) = found(program(old, session), "TFM307")
    assert kept.severity.value == "kept"


def test_an_optimizer_of_an_estimator_stays_and_is_reported() -> None:
    text = (
        "import tensorflow as tf\ndef model_fn(features, labels, mode):\n"
        "  opt = tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(), 2)\n"
        "  return tf.estimator.EstimatorSpec(mode, train_op=opt.minimize(features))\n"
    )
    after = migrated(text)
    assert "import tensorflow.compat.v1 as tf\n" in after
    assert "  opt = tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(), 2)\n" in after
    assert "  return estimator.EstimatorSpec(" in after
    for version in (text, after):
        (finding,) = found(version, "TFM308")
        assert finding.severity.value == "manual"


def test_a_setter_that_places_one_tower_stays_in_its_replica_function() -> None:
    setter = f"tf.train.replica_device_setter({_CPU}, worker_device=gpus[i])"
    text = (
        "import tensorflow as tf\ndef build(gpus, x):\n  for i in range(len(gpus)):\n"
        f"    with tf.device({setter}):\n"
        "      grads.append(opt.compute_gradients(tower_loss(x)))\n    print(gpus[i])\n"
    )
    after = migrated(text)
    assert "towers.run(strategy, replica_fn" in after
    assert setter in after
