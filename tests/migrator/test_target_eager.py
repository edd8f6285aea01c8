"""--target eager: runners for sessions, and blocks for what drivers build."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from support import check, check_unchanged, found, migrated, source

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.model.targets import EAGER, TARGETS

TARGET = TARGETS[EAGER]
BLOCK = "with tf.get_default_graph().as_default():"


def eager(text: str) -> str:
    return migrated(text, target=TARGET)


def body(text: str) -> str:
    """Returns what a program becomes below its imports."""
    head = "import tensorflow as tf\n\n"
    new = eager(head + textwrap.dedent(text))
    start = "import tensorflow.compat.v1 as tf\nfrom tfmigrate_runtime import graphs\n\n"
    assert new.startswith(start), new
    return new.removeprefix(start)


def reasons(text: str) -> list[str]:
    found_lines = found(text, "TFM805", target=TARGET)
    assert not found(text, "TFM804", target=TARGET)
    assert "graphs" not in migrated(text, target=TARGET)
    return [f"{f.line}: {f.message.partition(': ')[2]}" for f in found_lines]


def test_programs_of_tensorflow_2_stay() -> None:
    check_unchanged(
        """
        import tensorflow as tf

        x = tf.Variable(1.0)
        with tf.GradientTape() as tape:
          loss = x * x
        """,
        target=TARGET,
    )


def test_programs_without_a_session_get_their_default_form() -> None:
    text = """
    import tensorflow as tf

    def model_fn(features, labels, mode):
      return tf.layers.dense(features, 1)
    """
    assert eager(text) == migrated(text)


def test_without_the_option_sessions_stay() -> None:
    text = "import tensorflow as tf\n\nx = tf.placeholder(tf.float32)\nsess = tf.Session()\n"
    assert "tf.Session()" in migrated(text)


def test_functions_that_build_are_not_touched() -> None:
    new = body(
        """\
        def network(x):
            # a layer
            return tf.layers.dense(x, 1)


        def main():
            out = network(tf.placeholder(tf.float32, [None, 2]))
            with tf.Session() as sess:
                print(sess.run(out))


        main()
        """
    )
    assert new == textwrap.dedent(
        f"""\
        def network(x):
            # a layer
            return tf.layers.dense(x, 1)


        def main():
            {BLOCK}
                out = network(tf.placeholder(tf.float32, [None, 2]))
            with graphs.Runner() as sess:
                print(sess.run(out))


        main()
        """
    )


def test_blocks_end_at_definitions_and_at_what_runs() -> None:
    new = body(
        """\
        x = tf.placeholder(tf.float32)
        size = 3

        # twice as much
        y = x * 2

        def twice(v):
            return v * 2

        z = twice(y)
        sess = tf.Session()
        print(sess.run(z, {x: 1.}))
        total = z + y
        print(sess.run(total, {x: 1.}))
        size = 4
        """
    )
    assert new == textwrap.dedent(
        f"""\
        {BLOCK}
            x = tf.placeholder(tf.float32)
            size = 3

            # twice as much
            y = x * 2

        def twice(v):
            return v * 2

        {BLOCK}
            z = twice(y)
        sess = graphs.Runner()
        print(sess.run(z, {{x: 1.}}))
        {BLOCK}
            total = z + y
        print(sess.run(total, {{x: 1.}}))
        size = 4
        """
    )


def test_what_is_built_around_a_session_is_built_in_one_block() -> None:
    new = body(
        """\
        with tf.device('/cpu:0'):
            x = tf.placeholder(tf.float32)
            with tf.Session() as sess:
                y = x * 2
                print(sess.run(y, {x: 1.}))
        """
    )
    assert new == textwrap.dedent(
        f"""\
        {BLOCK}
            with tf.device('/cpu:0'):
                x = tf.placeholder(tf.float32)
                with graphs.Runner() as sess:
                    {BLOCK}
                        y = x * 2
                    print(sess.run(y, {{x: 1.}}))
        """
    )


def test_graphs_of_their_own_need_no_block() -> None:
    text = """\
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32)
            sess = tf.Session()
            y = x * 2
            print(sess.run(y, {x: 1.}))
        """
    assert BLOCK not in body(text)
    block = "with tf.Session() as sess:\n                    more = x * 3"
    nested = text.replace("sess = tf.Session()", block)
    assert body(nested).count(BLOCK) == 1  # the block of a session is eager


def test_the_default_graph_is_reset_outside_of_blocks() -> None:
    new = body(
        """\
        for rate in (1, 2):
            tf.reset_default_graph()
            x = tf.placeholder(tf.float32) * rate
            with tf.Session() as sess:
                print(sess.run(x))
        """
    )
    assert "    tf.reset_default_graph()\n    with tf.get_default_graph()" in new


def test_modes_of_graphs_are_removed() -> None:
    check(
        """
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()

        x = tf.placeholder(tf.float32)
        print(tf.Session().run(x, {x: 1.}))
        """,
        f"""
        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import graphs

        {BLOCK}
            x = tf.placeholder(tf.float32)
        print(graphs.Runner().run(x, {{x: 1.}}))
        """,
        target=TARGET,
    )


def test_a_mode_above_functions_is_removed() -> None:
    check(
        """
        import tensorflow.compat.v1 as tf
        tf.disable_v2_behavior()


        def same(data):
          x = tf.placeholder(tf.float32)
          return tf.Session().run(x, {x: data})
        """,
        """
        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import graphs


        def same(data):
          with tf.get_default_graph().as_default():
            x = tf.placeholder(tf.float32)
          return graphs.Runner().run(x, {x: data})
        """,
        target=TARGET,
    )


def test_graphs_of_several_files() -> None:
    model = "import tensorflow as tf\n\ndef build(x):\n    return tf.layers.dense(x, 1)\n"
    main = """\
import tensorflow as tf
import model

x = tf.placeholder(tf.float32, [None, 2])
out = model.build(x)
other = model.Network(x) if hasattr(model, 'Network') else None
with tf.Session() as sess:
    more = model.build(out)
    print(sess.run(more))
"""
    files = {"model": model, "main": main}
    sources = [source(Path(f"/nowhere/{name}.py"), text) for name, text in files.items()]
    texts = migrate(sources, Options(target=TARGET)).texts
    new = texts[Path("/nowhere/main.py")]
    assert f"{BLOCK}\n        more = model.build(out)\n" in new
    assert "def build(x):\n    return tf.layers.dense(x, 1)\n" in texts[Path("/nowhere/model.py")]
    assert "disable_v2" not in "".join(texts.values())


def test_each_obstacle_is_reported_at_its_line() -> None:
    text = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [])
v = tf.get_variable('v', [], use_resource=False)
with tf.Session() as sess:
  handle = sess.partial_run_setup([x], [x])
  sess.partial_run(handle, x, {x: 1.})
"""
    assert reasons(text) == [
        "4: reference variables live in a session",
        "7: a function cannot be continued",
    ]


def test_clusters_keep_their_graph() -> None:
    text = """\
import tensorflow as tf

cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})
server = tf.train.Server(cluster, 'worker', 0)
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
  w = tf.get_variable('w', [])
with tf.train.MonitoredTrainingSession(master=server.target) as sess:
  sess.run(w)
"""
    new = eager(text)
    assert "server = graphs.Server(cluster, 'worker', 0)\n" in new
    assert f"{BLOCK}\n  with tf.device(tf.train.replica_device_setter(cluster=cluster)):\n" in new
    assert "graphs.MonitoredRunner(master=server.target)" in new
    assert not found(text, "TFM301", target=TARGET)


def test_blocks_within_the_line_of_a_colon() -> None:
    after = body(
        """
        class Net:
          def __init__(self, session):
            self.session = session

          def build(self, wide):
            self.x = tf.placeholder(tf.float32, [None, 2])
            if wide: self.wide()  # nine units
            else: self.narrow()

          def wide(self):
            self.y = tf.layers.dense(self.x, 9)

          def narrow(self):
            scale = self.session.run(tf.constant(2.0))
            self.y = tf.layers.dense(self.x, 3) * scale

        def main():
          with tf.Session() as session:
            net = Net(session)
            net.build(True)
            print(session.run(net.y, {net.x: [[1.0, 2.0]]}))
        """
    )
    assert (
        f"    if wide:\n      {BLOCK}\n        self.wide()  # nine units\n    else: self.narrow()\n"
        in after
    )


def test_calls_of_what_was_built_are_put_into_blocks() -> None:
    new = body(
        """\
        layers = []
        layers.append(tf.layers.Dense(3))
        queue = tf.FIFOQueue(3, [tf.float32], [[]])
        saver = tf.train.Saver([tf.Variable(1.)])
        make = tf.constant
        rows = [[1.]]
        with tf.Session() as sess:
            size = queue.size()
            print(sess.run(size))
            element = queue.get()
            ended = queue.close()
            for layer in layers:
                out = layer(rows)
                print(sess.run(out))
            sess.close()
            saver.save(sess, 'model')
            one = make(1.)
            print(sess.run(one))
            print(rows.index([1.]))
        """
    )
    driver = new.partition("graphs.Runner() as sess:\n")[2]
    assert driver == textwrap.indent(
        textwrap.dedent(
            f"""\
            {BLOCK}
                size = queue.size()
            print(sess.run(size))
            {BLOCK}
                element = queue.get()
                ended = queue.close()
            for layer in layers:
                {BLOCK}
                    out = layer(rows)
                print(sess.run(out))
            sess.close()
            saver.save(sess, 'model')
            {BLOCK}
                one = make(1.)
            print(sess.run(one))
            print(rows.index([1.]))
            """
        ),
        "    ",
    )


HEAD = """
import tensorflow as tf
x, on = tf.placeholder('float'), tf.placeholder('bool')
found, known = [], {}
def local():
  mine = []
  mine.append(x)
  return x
def kept():
  found.append(x)
  return x
def globally():
  global y
  y = x
  return x
def inner():
  known['a'] = x
  return x
def summary():
  tf.summary.scalar('x', x)
  return x
found.append(x)
"""


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("tf.cond(on, lambda: x + 1.0, lambda: x)", False),
        ("tf.cond(on, local, lambda: x)", False),
        ("kept()", False),
        ("tf.cond(on, kept, lambda: x)", True),
        ("tf.case([(on, globally)], lambda: x)", True),
        ("tf.cond(on, lambda: inner(), lambda: x)", True),
        ("tf.cond(on, true_fn=lambda: tf.layers.batch_normalization(x), false_fn=local)", True),
        ("tf.cond(on, summary, lambda: x)", True),
    ],
)
def test_what_branches_build_for_code_outside(code: str, kept: bool) -> None:
    after = eager(f"{HEAD}print(tf.Session().run({code}))\n")

    assert ("tf.disable_control_flow_v2()" in after) is kept
