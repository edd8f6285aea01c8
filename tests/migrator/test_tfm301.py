"""TFM301: the block under a device setter becomes a replica function."""

from __future__ import annotations

import textwrap

import pytest
from support import check, check_unchanged, findings, found, migrate_tree, migrated, run

HEAD = "import tensorflow as tf\n"
SETTER = "tf.train.replica_device_setter(cluster=cluster)"
NEW_HEAD = """\
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import between_graph

tf.disable_v2_behavior()
"""
STRATEGY = "between_graph.parameter_server_strategy(cluster=cluster)"
SESSION = "with tf.train.MonitoredTrainingSession() as sess:\n  sess.run(a)\n"


def body_of(text: str) -> str:
    """Returns what follows the head of a migrated program."""
    after = migrated(HEAD + textwrap.dedent(text))
    assert after.startswith(NEW_HEAD), after
    return after.removeprefix(NEW_HEAD).removeprefix("\n")


def block(body: str, after: str = "") -> str:
    """Returns a block under the setter, and what comes after it."""
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "  ")
    return f"with tf.device({SETTER}):\n{lines}\n{textwrap.dedent(after)}"


def function(body: str, call: str, parameters: str = "", after: str = "") -> str:
    """Returns what a block becomes."""
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "  ")
    return (
        f"strategy = {STRATEGY}\n\ndef replica_fn({parameters}):\n{lines}\n\n{call}\n"
        + textwrap.dedent(after)
    )


@pytest.mark.parametrize(
    "text",
    [
        "with tf.device('/cpu:0'):\n  a = tf.zeros([])\n",
        "with tf.device(None):\n  a = tf.zeros([])\n",
        "with tf.device(setter):\n  a = tf.zeros([])\n",
        "with device(replica_device_setter(cluster=cluster)):\n  a = tf.zeros([])\n",
        "# tf.train.replica_device_setter(cluster=cluster)\na = tf.zeros([])\n",
    ],
)
def test_programs_without_a_setter_stay(text: str) -> None:
    check_unchanged(HEAD + text)
    assert run(HEAD + text).findings == []


def test_the_device_function_of_a_run_config_stays() -> None:
    text = f"{HEAD}c = tf.estimator.RunConfig(device_fn={SETTER})\n"
    assert f"device_fn={SETTER}" in migrated(text)
    assert {f.code for f in run(text).findings} == {"TFM601", "TFM701"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Nothing is used later.
        (block("a = tf.zeros([])"), function("a = tf.zeros([])", "strategy.run(replica_fn)")),
        # What later code reads is returned, in the order it was first assigned.
        (
            block("b = a = tf.zeros([])\nc, (d, *e) = a", "print(e, a)\nc = 1\nprint(c)"),
            function(
                "b = a = tf.zeros([])\nc, (d, *e) = a\nreturn a, e",
                "a, e = strategy.run(replica_fn)",
                "",
                "print(e, a)\nc = 1\nprint(c)",
            ),
        ),
        # Other ways to give something a name.
        (
            block(
                "import math\ndef f(): return math.pi\nclass C: pass\n"
                "with tf.name_scope('s') as scope: pass",
                "print(f, C, scope, math)",
            ),
            function(
                "import math\ndef f(): return math.pi\nclass C: pass\n"
                "with tf.name_scope('s') as scope: pass\nreturn math, f, C, scope",
                "math, f, C, scope = strategy.run(replica_fn)",
                "",
                "print(f, C, scope, math)",
            ),
        ),
        # Read by a function outside, whenever that is called.
        (
            "def use():\n  return a\n" + block("a = tf.zeros([])", "use()"),
            "\ndef use():\n  return a\n"
            + function("a = tf.zeros([])\nreturn a", "a = strategy.run(replica_fn)", "", "use()"),
        ),
        # Read and assigned anew: a parameter.
        (
            "opt = make()\n" + block("opt = wrap(opt)\na = opt.minimize(l)", "print(opt, a)"),
            "opt = make()\n"
            + function(
                "opt = wrap(opt)\na = opt.minimize(l)\nreturn opt, a",
                "opt, a = strategy.run(replica_fn, args=(opt,))",
                "opt",
                "print(opt, a)",
            ),
        ),
        (
            "n = 0\nm = 1\n" + block("n += m\nif n:\n  m = 2\nprint(m)", ""),
            "n = 0\nm = 1\n"
            + function(
                "n += m\nif n:\n  m = 2\nprint(m)", "strategy.run(replica_fn, args=(n, m))", "n, m"
            ),
        ),
        # A name of Python itself that the block takes.
        (
            block("input = input or tf.zeros([])", ""),
            function(
                "input = input or tf.zeros([])", "strategy.run(replica_fn, args=(input,))", "input"
            ),
        ),
        # Assigned on some paths, and before.
        (
            "a = None\n" + block("if x:\n  a = tf.zeros([])", "print(a)"),
            "a = None\n"
            + function(
                "if x:\n  a = tf.zeros([])\nreturn a",
                "a = strategy.run(replica_fn, args=(a,))",
                "a",
                "print(a)",
            ),
        ),
        # Assigned on some paths, and nothing before.
        (
            block("if x:\n  a = b = 1\nfor i in x: pass", "if x: print(a, b, i)"),
            function(
                "a = None\nb = None\ni = None\nif x:\n  a = b = 1\nfor i in x: pass\n"
                "return a, b, i",
                "a, b, i = strategy.run(replica_fn)",
                "",
                "if x: print(a, b, i)",
            ),
        ),
        (
            block("try:\n  a = f()\nexcept E:\n  pass\n", "g(a)\n"),
            function(
                "a = None\ntry:\n  a = f()\nexcept E:\n  pass\nreturn a",
                "a = strategy.run(replica_fn)",
                "",
                "g(a)\n",
            ),
        ),
        # Assigned by a function of the block, as a name of the file.
        (
            block("def f():\n  global n\n  n = 1\nf()\nprint(n)", "print(n)"),
            function(
                "def f():\n  global n\n  n = 1\nf()\nprint(n)",
                "strategy.run(replica_fn)",
                "",
                "print(n)",
            ),
        ),
        # Assigned on every path.
        (
            block("if x:\n  a = 1\nelif y:\n  a = 2\nelse:\n  raise E", "print(a)"),
            function(
                "if x:\n  a = 1\nelif y:\n  a = 2\nelse:\n  raise E\nreturn a",
                "a = strategy.run(replica_fn)",
                "",
                "print(a)",
            ),
        ),
        # Later code assigns it before it reads it.
        (
            block("for i in range(3): a = f(i)", "for i in range(9):\n  a = i\n  print(i, a)\n"),
            function(
                "for i in range(3): a = f(i)",
                "strategy.run(replica_fn)",
                "",
                "for i in range(9):\n  a = i\n  print(i, a)\n",
            ),
        ),
        # A loop within the block.
        (
            block("for i in range(3):\n  if i: break\n  else: continue\na = 1", "print(a)"),
            function(
                "for i in range(3):\n  if i: break\n  else: continue\na = 1\nreturn a",
                "a = strategy.run(replica_fn)",
                "",
                "print(a)",
            ),
        ),
        # Comments and blank lines stay where they are.
        (
            block("# first\n\na = 1  # one\n\n# last", "# after\n\nprint(a)"),
            function(
                "# first\n\na = 1  # one\n\n# last\nreturn a",
                "a = strategy.run(replica_fn)\n# after",
                "",
                "\nprint(a)",
            ).replace("(replica_fn)\n# after\n\n\n", "(replica_fn)\n# after\n\n"),
        ),
    ],
)
def test_block_becomes_a_function(before: str, after: str) -> None:
    assert body_of(before).lstrip("\n") == after.lstrip("\n")


def test_block_of_a_function() -> None:
    check(
        """\
        import tensorflow as tf

        def build(x, opt):
            y = x
            with tf.device(
                    tf.train.replica_device_setter(  # places
                        1,
                        worker_device='/job:worker',
                        cluster=cluster)):
                text = '''
          kept
        '''
                w = tf.get_variable('w', [])
                y = y * w
                opt = opt or tf.train.AdamOptimizer()
                return y, opt.minimize(y)
        """,
        """\
        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import between_graph

        def build(x, opt):
            y = x

            strategy = between_graph.parameter_server_strategy(  # places
                        1,
                        worker_device='/job:worker',
                        cluster=cluster)

            def replica_fn(y, opt):
                text = '''
          kept
        '''
                w = tf.get_variable('w', [])
                y = y * w
                opt = opt or tf.train.AdamOptimizer()
                return y, opt.minimize(y)

            return strategy.run(replica_fn, args=(y, opt))
        """.replace("y = x\n\n", "y = x\n"),
    )


def test_session_in_the_block_stays_out_of_the_function() -> None:
    before = block(
        """
        a = tf.zeros([])
        saver = tf.train.Saver()
        # The session.
        hooks = [tf.train.StopAtStepHook(9), h]
        print('starts')
        with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
          while not sess.should_stop():
            if sess.run(a): break
        # last
        """,
        "saver.save(sess)",
    )
    assert body_of(before) == textwrap.dedent(f"""\
        strategy = {STRATEGY}

        def replica_fn():
          a = tf.zeros([])
          saver = tf.train.Saver()
          return a, saver

        with strategy.scope():
          a, saver = strategy.run(replica_fn)
          # The session.
          hooks = [tf.train.StopAtStepHook(9), h]
          print('starts')
          with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
            while not sess.should_stop():
              if sess.run(a): break
          # last
        saver.save(sess)""")


def test_session_that_a_function_of_the_file_makes() -> None:
    text = "def train(a):\n  with tf.Session() as s:\n    s.run(a)\n\n" + block(
        "a = tf.zeros([])\ntrain(a)\n"
    )
    after = body_of(text)
    assert "  return a\n\nwith strategy.scope():\n  a = strategy.run(replica_fn)\n" in after
    assert after.endswith("  train(a)\n")


@pytest.mark.parametrize(
    "body",
    [
        "train(1)",
        "a = 1\ntrain(a)",
        "a = 1\nwith tf.Session() as s:\n  s.run(opt.minimize(a))",
        "a = 1\nwith tf.Session() as s:\n  s.run(tf.metrics.mean(a))",
    ],
)
def test_graph_that_cannot_be_separated_from_its_session(body: str) -> None:
    train = "def train(a):\n  b = opt.minimize(a)\n  with tf.Session() as s:\n    s.run(b)\n"
    after = body_of(train + block(body))
    assert after.endswith(function(body, "strategy.run(replica_fn)"))


def test_setter_in_a_variable() -> None:
    text = f"place = {SETTER}\nwith tf.device(place):\n  a = 1\n" + (
        "with tf.device(place):  # again\n  b = a\nprint(b)\n"
    )
    assert body_of(text).lstrip("\n") == textwrap.dedent(f"""\
        place = {STRATEGY}

        def replica_fn():
          a = 1
          return a

        a = place.run(replica_fn)

        def replica_fn_2():  # again
          b = a
          return b

        b = place.run(replica_fn_2)
        print(b)
        """)


def test_setter_in_an_attribute() -> None:
    text = textwrap.dedent(f"""\
        class Model:
          def __init__(self):
            self.place = {SETTER}

          def build(self):
            with tf.device(self.place):
              self.a = tf.zeros([])
              return self.a

        Model().build()
        tf.app.run()
        """)
    after = body_of(text)
    assert f"self.place = {STRATEGY}\n" in after
    assert "    return self.place.run(replica_fn)\n" in after


def test_setter_that_a_function_returns() -> None:
    text = textwrap.dedent(f"""\
        def place(cluster):
          return {SETTER}

        with tf.device(place(c)):
          a = 1
        print(a)
        """)
    after = body_of(text)
    assert f"def place(cluster):\n  return {STRATEGY}\n" in after
    assert "\nstrategy = place(c)\n\ndef replica_fn():\n  a = 1\n  return a\n\na = " in after


def test_other_items_of_the_with() -> None:
    text = f"with tf.Graph().as_default(), tf.device({SETTER}), tf.name_scope('n'):\n  a = 1\n"
    assert body_of(text + "print(a)\n").lstrip("\n") == textwrap.dedent(f"""\
        with tf.Graph().as_default():
          strategy = {STRATEGY}

          def replica_fn():
            with tf.name_scope('n'):
              a = 1
              return a

          a = strategy.run(replica_fn)
        print(a)
        """)


@pytest.mark.parametrize(
    ("setter", "after"),
    [
        (
            "\n    tf.train.replica_device_setter(\n        worker_device='/job:worker/task:0',\n"
            "        ps_device='/job:ps/cpu:0',\n        cluster=cluster_of_a_long_name)",
            "(\n    worker_device='/job:worker/task:0',\n    ps_device='/job:ps/cpu:0',\n"
            "    cluster=cluster_of_a_long_name)\n",
        ),
        (
            "\n    tf.train.replica_device_setter(\n        cluster=cluster,  # of all hosts\n"
            "        ps_device='/job:ps/cpu:0')",
            "(\n        cluster=cluster,  # of all hosts\n        ps_device='/job:ps/cpu:0')\n",
        ),
        (
            "tf.train.replica_device_setter(\n      cluster=cluster,\n      ps_tasks=1)",
            "(\n      cluster=cluster,\n      ps_tasks=1)\n",
        ),
    ],
)
def test_arguments_below_two_calls_are_indented_for_one(setter: str, after: str) -> None:
    text = f"with tf.device({setter}):\n  a = tf.Variable(1)\n{SESSION}"
    assert f"strategy = between_graph.parameter_server_strategy{after}" in body_of(text)


def test_tabs_and_continuation_lines_stay() -> None:
    text = (
        f"if x:\n\twith tf.device({SETTER}):\n\t\t# tab\n\t\ta = 1 + \\\n      2\n"
        "\t\tif a:\n\t\t        b = f(a,\n\t\t\t1)\n\tprint(a)\n"
    )
    assert body_of(text).lstrip("\n") == (
        f"if x:\n\tstrategy = {STRATEGY}\n\n\tdef replica_fn():\n"
        "\t\t# tab\n\t\ta = 1 + \\\n      2\n"
        "\t\tif a:\n\t\t        b = f(a,\n\t\t\t1)\n\t\treturn a\n\n"
        "\ta = strategy.run(replica_fn)\n\tprint(a)\n"
    )


def test_one_line_block() -> None:
    after = body_of(f"with tf.device({SETTER}): a = 1; b = 2  # both\nprint(a)\n")
    assert "def replica_fn():\n    a = 1; b = 2  # both\n    return a\n" in after


def test_names_that_are_taken() -> None:
    text = "strategy = replica_fn = between_graph = 1\n" + block("a = 1")
    after = migrated(HEAD + text)
    assert "from tfmigrate_runtime import between_graph as tf_between_graph\n" in after
    assert "replica_strategy = tf_between_graph.parameter_server_strategy(" in after
    assert "replica_strategy.run(replica_function)" in after


def test_many_results_are_wrapped() -> None:
    names = [f"tensor_number_{i}" for i in range(9)]
    after = body_of(block("\n".join(f"{n} = {n!r}" for n in names), f"print({', '.join(names)})"))
    assert max(len(line) for line in after.splitlines()[:-1]) <= 80
    assert all(after.count(name) == 5 for name in names)


def test_names_of_one_machine_and_a_cluster_are_settled_apart() -> None:
    text = block("a = 1") + "with tf.device(tf.train.replica_device_setter()):\n  b = 2\n"
    assert "strategy.run(replica_fn)\nb = 2\n" in body_of(text)


@pytest.mark.parametrize(
    "script", ["tf.app.run()\n", "main()\n", "if __name__ == '__main__': main()\n"]
)
def test_scripts_are_put_into_graph_mode(script: str) -> None:
    text = "def main(_=None):\n" + textwrap.indent(block("a = 1"), "  ")
    assert "tf.disable_v2_behavior()" in migrated(HEAD + text + script)
    assert "tf.disable_v2_behavior()" not in migrated(HEAD + text)


def test_the_model_of_another_file_is_migrated_with_the_program() -> None:
    files = {
        "train.py": HEAD + "import model\n" + block("a = model.build()", "print(a)\n"),
        "model.py": HEAD + "def build():\n  return tf.placeholder(tf.float32)\n",
        "other.py": HEAD + "x = tf.zeros([])\n",
    }
    changed, reported = migrate_tree(files)
    assert sorted(changed) == ["model.py", "train.py"]
    assert migrate_tree(files | changed) == ({}, [])
    # What stays does not keep the rest from running.
    files["train.py"] += "del a\n" + block("break_ = 1\nexec('')")
    changed, reported = migrate_tree(files)
    assert sorted(changed) == ["model.py", "train.py"]
    assert "replica_fn" not in changed["train.py"]
    assert ("train.py", "TFM304") in {(f.path, f.code) for f in reported}


def test_a_program_that_keeps_its_block_does_not_keep_another_from_a_strategy() -> None:
    stays = "exec('')\n" + block("locals()")
    files = {
        "a.py": HEAD + "import model\n" + stays,
        "b.py": HEAD + "import model\n" + block("a = model.build()"),
        "model.py": HEAD + "def build():\n  return tf.placeholder(tf.float32)\n",
    }
    changed, reported = migrate_tree(files)
    assert sorted(changed) == ["a.py", "b.py", "model.py"]
    assert ["replica_fn" in changed[name] for name in sorted(files)] == [False, True, False]
    assert [(f.path, f.severity.value) for f in reported if f.code == "TFM304"] == [
        ("a.py", "kept")
    ]
    assert migrate_tree(files | changed)[0] == {}


def test_names_that_another_file_reads_are_returned() -> None:
    files = {
        "graph.py": HEAD + block("a = tf.zeros([])\nb = a\nc = b"),
        "train.py": "import graph  # tensorflow\nfrom graph import b\nprint(graph.a, b)\n",
    }
    changed, _ = migrate_tree(files)
    assert "  return a, b\n\na, b = strategy.run(replica_fn)\n" in changed["graph.py"]


@pytest.mark.parametrize("count", [1, 3])
def test_a_finding_for_every_setter(count: int) -> None:
    text = HEAD + block("a = 1") * count
    assert [f.line for f in found(text, "TFM301")] == [2 + 2 * i for i in range(count)]
    assert findings(text) == []


@pytest.mark.parametrize("nothing", ["None", "''"])
def test_setter_that_is_none_on_other_ways(nothing: str) -> None:
    default = "tf.distribute.get_strategy()"
    text = f"s = {nothing}\nif hosts:\n  s = {SETTER}\nwith tf.device(s):\n  a = 1\n"
    assert body_of(text) == (
        f"s = {default}\nif hosts:\n  s = {STRATEGY}\n\ndef replica_fn():\n  a = 1\n\n"
        "s.run(replica_fn)\n"
    )
    text = f"with tf.device({SETTER} if hosts else {nothing}):\n  a = 1\n"
    assert f" {STRATEGY} if hosts else {default})\n" in body_of(text)
    text = f"s = {nothing} if alone else {SETTER}\nwith tf.device(s):\n  a = 1\n"
    assert f"s = {default} if alone else {STRATEGY}\n" in body_of(text)


def test_one_variable_for_two_setters() -> None:
    text = (
        f"if x:\n  s = {SETTER}\nelse:\n  s = tf.train.replica_device_setter()\n"
        "with tf.device(s):\n  a = 1\nprint(a)\n"
    )
    after = body_of(text)
    assert f"  s = {STRATEGY}\nelse:\n  s = between_graph.parameter_server_strategy()\n" in after
    assert after.count("s.run(replica_fn)") == 1


def test_branches_that_exclude_each_other_share_their_names() -> None:
    both = f"if x:\n{{}}else:\n{{}}with tf.device({SETTER}):\n  a = 3\n"
    text = both.format(*(textwrap.indent(block(f"a = {i}"), "  ") for i in (1, 2)))
    after = body_of(text)
    assert after.count("  strategy = ") == after.count("  def replica_fn():") == 2
    assert "\nstrategy_2 = " in after
    assert "\nstrategy_2.run(replica_fn_2)" in after


def test_a_file_that_imports_tensorflow_in_a_function_imports_the_runtime_there() -> None:
    text = """
        def main_fun(args, ctx):
          import tensorflow as tf
          cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})
          server = tf.train.Server(cluster, job_name=ctx.job, task_index=ctx.index)
          with tf.device(tf.train.replica_device_setter(cluster=cluster)):
            x = tf.placeholder(tf.float32, [3])
            loss = tf.reduce_sum(x * tf.Variable(1.0))
            train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
          with tf.train.MonitoredTrainingSession(server.target) as session:
            session.run(train, {x: [1, 2, 3]})
        """

    after = migrated(text)

    assert after.count("  from tfmigrate_runtime import between_graph\n") == 1
    assert after.lstrip().startswith(
        "def main_fun(args, ctx):\n  import tensorflow.compat.v1 as tf"
    )
