"""TFM402: what keeps a loop over towers as it is, place by place."""

from __future__ import annotations

import textwrap

import pytest
from support import check_kept, findings, migrate_tree, run

HEAD = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
GRADS = "grads.append(opt.compute_gradients(tower_loss(i)))"


def loop(body: str, over: str = "range(n)", device: str = "'/gpu:%d' % i") -> str:
    lines = textwrap.indent(body.strip("\n"), "    ")
    return f"for i in {over}:\n  with tf.device({device}):\n{lines}\n    {GRADS}\n"


def function(body: str) -> str:
    return "def f():\n" + textwrap.indent(loop(body), "  ")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (loop("if i: continue"), 5, "`continue` ends an iteration early"),
        (loop("if i: break"), 5, "`break` ends an iteration early"),
        (function("if i: return None"), 6, "`return` leaves the loop"),
        (function("yield i"), 6, "contains `yield` or `await`"),
        (function("global x"), 6, "a `global` or `nonlocal` statement"),
        (loop("del x"), 5, "deletes a variable"),
        (loop("from m import *"), 5, "`import *`"),
        (loop("print(locals())"), 5, "`locals()` reads"),
        (loop("x = 1") + "else:\n  pass\n", 3, "has an `else`"),
        (loop("opt.apply_gradients(g)"), 5, "`apply_gradients` is called in each tower"),
        (
            loop("train()") + "def train():\n  opt.minimize(y)\n",
            8,
            "`minimize` is called in each tower",
        ),
        (
            loop("m.train()") + "class M:\n  def train(self):\n    opt.minimize(y)\n",
            9,
            "`minimize` is called in each tower",
        ),
        (loop("M(i)") + "class M:\n  def __init__(self):\n    opt.minimize(y)\n", 9, "minimize"),
        (loop("tf.metrics.mean(x)"), 5, "tf.metrics.mean would be combined"),
        (
            loop("tf.train.ExponentialMovingAverage(0.9).apply(x)"),
            5,
            "would be combined over the replicas",
        ),
        (loop("print(x.eval())"), 5, "`eval()` needs the default session"),
        (loop("x: int = x + 1"), 5, "`x` has an annotation"),
        (loop("s = tf.Session()"), 5, "creates a session"),
        (loop("pass", device="chosen(i)"), 3, "device function that chosen returns"),
        (
            "class C:\n" + textwrap.indent(loop("pass"), "  "),
            4,
            "it is in a class body",
        ),
        (
            "with tf.control_dependencies([x]):\n" + textwrap.indent(loop("pass"), "  "),
            3,
            "control dependencies around it",
        ),
        ("server = tf.train.Server(c)\n" + loop("pass"), 3, "runs on several workers"),
        (
            loop(
                "pass",
                device="tf.train.replica_device_setter(1, '/cpu:0', worker_device='/gpu:%d' % i)",
            ),
            3,
            "replica_device_setter needs exactly ps_tasks=1",
        ),
        (
            "for i in range(n):\n  d = a(i)\n  d = b(d)\n  with tf.device('/gpu:%d' % d):\n"
            f"    {GRADS}\n",
            6,
            "the device depends on `d`, assigned in the loop",
        ),
    ],
)
def test_what_is_in_the_way(text: str, line: int, reason: str) -> None:
    check_kept(HEAD + text)
    reported = [f for f in run(HEAD + text).findings if f.code == "TFM402"]
    assert [f.line for f in reported] == [line]
    assert reason in reported[0].message
    assert reported[0].severity.value == "kept"


def test_every_reason_is_reported() -> None:
    text = HEAD + loop("if i: continue\ndel x\nopt.minimize(y)") + loop("pass")
    check_kept(text)
    assert findings(text) == [("TFM402", 5), ("TFM402", 6), ("TFM402", 7)]


def test_what_is_not_run_in_the_loop_is_not_in_the_way() -> None:
    text = HEAD + "def train():\n  opt.minimize(y)\n" + loop("train_op = x.train") + "train()\n"
    assert not findings(text)


def test_the_program_and_its_libraries_are_migrated_around_the_loop() -> None:
    model = "import tensorflow as tf\ndef loss(x):\n  return tf.get_variable('w', [2]) * x\n"
    main = "import tensorflow as tf\nimport model\n" + loop("if i: break")
    texts, reported = migrate_tree({"main.py": main, "model.py": model})
    assert sorted(texts) == ["main.py", "model.py"]
    assert ("main.py", "TFM402") in {(f.path, f.code) for f in reported}


@pytest.mark.parametrize(
    ("imported", "call", "model"),
    [
        ("from model import step", "step(x)", "def step(x):\n  opt.minimize(x)\n"),
        ("from model import *", "step(x)", "def step(x):\n  opt.apply_gradients(x)\n"),
        ("import model", "model.step(x)", "def step(x):\n  opt.minimize(x)\n"),
        (
            "from model import M",
            "M(x)",
            "class M:\n  def __init__(self, x):\n    opt.minimize(x)\n",
        ),
        (
            "import model",
            "models[i].step(x)",
            "class M:\n  def step(self):\n    self.f()\n  def f(self):\n    opt.minimize(1)\n",
        ),
        ("from model import step", "step(x)", "def step(x):\n  return tf.metrics.mean(x)\n"),
    ],
)
def test_what_a_tower_does_in_another_file_keeps_its_loop(
    imported: str, call: str, model: str
) -> None:
    model = "import tensorflow as tf\nopt = tf.train.AdamOptimizer()\n" + model
    texts, reported = migrate_tree(
        {"main.py": f"{imported}\n{HEAD}{loop(call)}", "model.py": model}
    )
    (kept,) = [f for f in reported if f.code == "TFM402"]
    assert (kept.path, kept.line) == ("main.py", 4)
    assert "(model.py:" in kept.message
    assert "towers" not in texts["main.py"]


def test_places_of_other_files_that_do_the_same_are_one_finding() -> None:
    model = (
        "import tensorflow as tf\n\ndef step(x):\n  tf.train.Optimizer().minimize(x)\n"
        "  tf.train.Optimizer().minimize(x)\n  tf.Session()\n"
    )
    main = f"from model import step\n{HEAD}{loop('step(x)')}"
    _, reported = migrate_tree({"main.py": main, "model.py": model})
    minimized, opened = sorted(f.message for f in reported if f.code == "TFM402")
    assert minimized.endswith("averaging the gradients (model.py:4 and 1 more)")
    assert opened.endswith("it creates a session (model.py:6)")


def test_a_library_whose_method_has_the_name_of_an_own_one_keeps_no_loop() -> None:
    model = "import tensorflow as tf\nclass M:\n  def stack(self):\n    opt.minimize(1)\n"
    main = f"import model\nimport numpy as np\n{HEAD}{loop('np.stack([i])')}"
    texts, _ = migrate_tree({"main.py": main, "model.py": model})
    assert "towers.run" in texts["main.py"]


@pytest.mark.parametrize(
    "body", ["session.run(step(x), feed_dict={x: i})", "with tf.Session() as s:\n  s.run(step(x))"]
)
def test_a_loop_that_runs_sessions_builds_no_towers(body: str) -> None:
    model = "import tensorflow as tf\ndef step(x):\n  return x\n"
    indented = textwrap.indent(body, "    ")
    main = f"{HEAD}from model import step\ntf.train.AdamOptimizer().minimize(x)\n"
    main += f"for i in range(n):\n  with tf.device('/gpu:%d' % i):\n{indented}\n"
    texts, reported = migrate_tree({"main.py": main, "model.py": model})
    assert "towers" not in texts["main.py"]
    assert not {f.code for f in reported} & {"TFM401", "TFM402"}
