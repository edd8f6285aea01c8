"""TFM304: why a block under a device setter cannot become a replica function."""

from __future__ import annotations

import textwrap

import pytest
from support import check_kept, found, migrate_tree, migrated

HEAD = "import tensorflow as tf\n"
SETTER = "tf.train.replica_device_setter(cluster=cluster)"
WITH = f"with tf.device({SETTER}):\n"


def block(body: str, after: str = "") -> str:
    return WITH + textwrap.indent(textwrap.dedent(body), "  ") + textwrap.dedent(after)


def in_function(text: str, head: str = "def main():\n") -> str:
    return head + textwrap.indent(text, "  ")


@pytest.mark.parametrize(
    "text",
    [
        in_function(block("a = 1\nreturn a\n")),
        in_function(block("if x:\n  raise E\nelse:\n  b = 1\n", "return b\n")),
        block("def f(x):\n  if x: return 1\n  yield 2\n"),
        block("f = lambda: (yield)\n"),
        block("for i in x:\n  break\n"),
        block("del x[0], y.z\n"),
        in_function(block("globals()['a'] = 1\n")),
        block("def f():\n  global n\n  n = 1\n"),
        in_function("while not done():\n" + textwrap.indent(block("a = 1\n"), "  ")),
    ],
)
def test_no_obstacle(text: str) -> None:
    assert not found(HEAD + text, "TFM304")
    assert "replica_fn" in migrated(HEAD + text)


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        # The flow of control.
        (in_function(block("if x:\n  return 1\na = 1\n")), 5, "`return` exits"),
        (in_function(block("for i in x:\n  return i\n")), 5, "`return` exits"),
        (in_function(block("a = 1\nyield a\n")), 5, "yield"),
        ("while x:\n" + textwrap.indent(block("if y: break\n"), "  "), 4, "`break` jumps"),
        ("while x:\n" + textwrap.indent(block("if y: continue\n"), "  "), 4, "`continue` jumps"),
        ("for i in x:\n" + textwrap.indent(block("a = i\n"), "  "), 3, "inside a `for` loop"),
        # Names.
        ("if y: a = 0\n" + block("if x:\n  a = 1\n", "print(a)\n"), 5, "`a` is used after"),
        ("for a in y: pass\n" + block("for a in x:\n  a\n", "f(a)\n"), 4, "`a` is used after"),
        ("if x: a = 1\n" + block("a = a + 1\n"), 4, "may not be assigned before it"),
        (block("a = 1\ndel a\n"), 4, "deletes a variable"),
        (in_function(block("global a\na = 1\n")), 4, "global"),
        (block("from x import *\n"), 3, "`import *`"),
        (block("a = 1\nprint(locals())\n"), 4, "locals()"),
        (block("a = 1\nprint(globals())\n"), 4, "globals()"),
        ("def f():\n  return a\n" + block("a = 1\nf()\n"), 2, "read by a function that it calls"),
        (
            "def f():\n  return a\n" + in_function("global a\n" + block("a = 1\nf()\n")),
            2,
            "read by a function that it calls",
        ),
        ("f = lambda: a\n" + block("a = 1\nf()\n"), 2, "read by a function that it calls"),
        (
            "def f():\n  global a\n  a = 2\n" + block("a = 1\nf()\n"),
            2,
            "read by a function that it calls",
        ),
        (
            in_function("def f():\n  return a\ng(f)\n" + block("a = 1\nreturn a\n")),
            8,
            "the block ends with `return`",
        ),
        (block("a = 1\ndef f(): return a\n", "a = 2\nf()\n"), 4, "reassigned later"),
        (block("a = 1\ndef f():\n  global a\n  a = 2\n"), 4, "assign `a`"),
        (
            in_function(block("a = 1\ndef f():\n  nonlocal a\n  a = 2\n", "f()\n")),
            5,
            "assign `a`",
        ),
        (
            in_function("def f():\n  nonlocal a\n  a = 2\n" + block("a = 1\nf()\n")),
            3,
            "read by a function that it calls",
        ),
        (
            "class C(B):\n  def m(self):\n"
            + textwrap.indent(block("super().m()\n"), "    "), 5, "super()",
        ),
        ("class C:\n" + textwrap.indent(block("a = 1\n"), "  "), 3, "class body"),
        # The session.
        (block("with tf.Session() as s:\n  a = 1\n"), 3, "creates a session before"),
        (
            "def f():\n  with tf.Session() as s:\n    print(s)\n" + block("f()\n"),
            6,
            "creates a session before",
        ),
        (
            block("a = 1\nwith tf.Session() as s:\n  b = opt.minimize(a)\n")
            + "tf.train.SyncReplicasOptimizer(o, 1)\n",
            5,
            "`minimize` is called after",
        ),
        # The setter.
        (f"s = {SETTER}\nif x:\n  s = 'x'\nwith tf.device(s):\n  a = 1\n", 2, "several places"),
        (f"for s in x:\n  s = {SETTER}\n  with tf.device(s):\n    a = 1\n", 3, "several places"),
        (f"s = {SETTER}\nwith f(s):\n  a = 1\n", 3, "unsupported use"),
        (f"s = {SETTER}\nprint(s)\nwith tf.device(s):\n  a = 1\n", 3, "unsupported use"),
        (f"d = tf.device({SETTER})\nwith d:\n  a = 1\n", 2, "unsupported use"),
        (f"with tf.device({SETTER}) as d:\n  a = 1\n", 2, "unsupported use"),
        (f"x['s'] = {SETTER}\n", 2, "unsupported use"),
        (f"self.s = {SETTER}\nprint(self.s)\n", 3, "unsupported use"),
        (f"self.s = {SETTER}\nself.s = None\n", 2, "assigned again"),
        (f"s = {SETTER} if x else f()\nwith tf.device(s):\n  a = 1\n", 2, "unsupported use"),
        (f"s = {SETTER}\n", 2, "no `with tf.device(...)`"),
        (f"def f():\n  return {SETTER}\ng(f)\n", 4, "`f` is referenced without being called"),
        (f"def f():\n  if x: return {SETTER}\n  return None\n", 3, "unsupported use"),
        (block(block("a = 1\n")), 3, "block of another device setter"),
        (
            f"with tf.device({SETTER}), tf.name_scope('n'):\n  a = 1\n  s = tf.Session()\n",
            2,
            "items after the device setter",
        ),
        (f"with tf.device({SETTER}), tf.name_scope('n') as n:\n  a = n\n", 2, "binds names"),
    ],
)  # fmt: skip
def test_obstacle(text: str, line: int, word: str) -> None:
    reported = found(HEAD + text, "TFM304")
    assert [(f.line, f.severity.value, f.applied) for f in reported] == [(line, "kept", False)]
    assert word in reported[0].message
    check_kept(HEAD + text)
    check_kept(HEAD + text, unsafe=True)


def test_attribute_that_another_file_has_too() -> None:
    files = {
        "a.py": f"{HEAD}import b\nself.s = {SETTER}\nwith tf.device(self.s):\n  a = 1\n",
        "b.py": "import tensorflow as tf\nprint(x.s)\n",
    }
    changed, reported = migrate_tree(files)
    assert "with tf.device(self.s):" in changed["a.py"]
    assert [(f.path, f.line) for f in reported if f.code == "TFM304"] == [("a.py", 3)]


@pytest.mark.parametrize("train", ["import util\nplace = util.place\n", "from util import place\n"])
def test_function_that_another_file_calls(train: str) -> None:
    files = {
        "util.py": f"{HEAD}def place():\n  return {SETTER}\n",
        "train.py": f"{HEAD}{train}with tf.device(place()):\n  a = tf.placeholder(tf.float32)\n",
    }
    changed, reported = migrate_tree(files)
    assert sorted(changed) == ["train.py", "util.py"]
    assert "with tf.device(place()):" in changed["train.py"]
    assert f"return {SETTER}" in changed["util.py"]
    assert [(f.path, f.line) for f in reported if f.code == "TFM304"] == [("util.py", 2)]
    # One that nobody calls is of no program.
    assert found(files["util.py"], "TFM304") == []


def test_every_obstacle_is_reported_and_the_program_keeps_its_blocks() -> None:
    text = HEAD + block("if x:\n  del a\n", "print(a)\n") + block("b = 1\n") + block("exec('')\n")
    assert [f.line for f in found(text, "TFM304")] == [4, 9]
    check_kept(text)
    model = HEAD + "def f():\n  return tf.placeholder(tf.float32)\n"
    files = {"train.py": text + "import model\n", "model.py": model}
    assert sorted(migrate_tree(files)[0]) == ["model.py", "train.py"]


@pytest.mark.parametrize(
    ("called", "is_kept"),
    [
        ("with tf.train.MonitoredTrainingSession() as s:\n    s.run(x)", True),
        ("tf.estimator.Estimator(x).train(x)", True),
        ("return tf.get_variable('w', [2])", False),
    ],
)
def test_a_block_that_trains_in_another_file(called: str, is_kept: bool) -> None:
    files = {
        "main.py": f"{HEAD}import loop\n{WITH}  loop.run(x)\n",
        "loop.py": f"{HEAD}\n\ndef run(x):\n  {called}\n",
    }
    _, reported = migrate_tree(files)
    kept = [f for f in reported if f.code == "TFM304"]
    assert [("loop.py:" in f.message) for f in kept] == [True] * is_kept


SERVER = "server = tf.train.Server(cluster, job_name='worker', task_index=0)\n"


@pytest.mark.parametrize(
    ("imported", "body"),
    [
        ("from theirs import trainer", "trainer.run(server.target)"),
        ("import theirs.loops as loops", "result = loops.train(1, master=server.target)"),
        ("from theirs import loop as go", "go(**{'server': server})"),
        ("import theirs", "t = theirs.Trainer()\nt.fit(*[server.target])"),
        ("import functools, theirs", "functools.partial(theirs.loop, server.target)()"),
        ("from theirs import loop", "op = opt.minimize(loss)\nloop(op, 100)"),
    ],
)
def test_a_library_that_trains_in_the_block(imported: str, body: str) -> None:
    text = f"{imported}\n{HEAD}{SERVER}{block(body)}"
    check_kept(text)
    (finding,) = found(text, "TFM304")
    assert "it runs a whole training (`" in finding.message


@pytest.mark.parametrize(
    ("imported", "body"),
    [
        ("from theirs import nets", "loss = nets.build(3)\nnets.summarize(loss)"),
        ("import logging", "logging.info(server.target)"),
        ("from theirs import opts", "op = opts.clipped(opt, loss)"),
        ("import theirs", "print(server.target)\nloss = theirs.loss(batch.target)"),
    ],
)
def test_a_library_that_builds_in_the_block(imported: str, body: str) -> None:
    text = f"{imported}\n{HEAD}{SERVER}{block(body)}"
    assert not found(text, "TFM304")
    assert "replica_fn" in migrated(text)
