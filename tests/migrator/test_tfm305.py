"""TFM305: variables placed on parameter servers with tf.device."""

from __future__ import annotations

import textwrap

import pytest
from support import check_kept, found, migrate_tree, migrated, run

HEAD = "import tensorflow as tf\n"
CLUSTER = "c = tf.train.ClusterSpec(x)\n"
PS = "with tf.device('/job:ps/task:0'):\n  w = tf.get_variable('w', [])\n"
WORKER = "with tf.device('/job:worker/task:1'):\n  y = w * w\n"
RUN = "with tf.Session() as s:\n  s.run(y)\n"


@pytest.mark.parametrize(
    "text",
    [
        PS,
        WORKER,
        PS + "with tf.device('/cpu:0'):\n  y = w\n",
        "with device('/job:ps/task:0'):\n  w = 1\nwith device('/job:worker/task:0'):\n  y = 1\n",
        "with tf.device(ps('job:ps')):\n  w = 1\nwith tf.device(f'{x}/job:worker'):\n  y = 1\n",
    ],
)
def test_other_devices_stay(text: str) -> None:
    assert {f.code for f in run(HEAD + CLUSTER + text).findings} <= {"TFM701"}
    assert "between_graph" not in migrated(HEAD + CLUSTER + text)


def test_a_strategy_of_tensorflow_1_needs_new_names_only() -> None:
    text = HEAD + "s = tf.distribute.experimental.ParameterServerStrategy()\n" + PS + WORKER + RUN
    body = text.removeprefix(HEAD)
    assert migrated(text) == (
        f"import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n\n{body}"
    )


def test_a_strategy_of_tensorflow_2_stays() -> None:
    text = (
        HEAD + "s = tf.distribute.experimental.ParameterServerStrategy(r)\n"
        "with s.scope():\n  w = tf.Variable(1.0)\n"
    )
    assert run(text).texts == {}
    assert run(text).findings == []


def test_blocks_become_a_function_with_what_stands_between() -> None:
    text = (
        f"{HEAD}{CLUSTER}def main():\n    print(1)\n\n    # Variables.\n"
        + textwrap.indent(
            "with tf.device('/job:ps/task:0'):  # first\n    w = f('''a\n  b''',\n          1)\n"
            "z = w  # between\n\n"
            "with tf.device('/job:worker/task:%d/gpu:0' % task), tf.name_scope('n'):\n    y = z\n",
            "    ",
        ).replace("      b'''", "  b'''")
        + "\n    # The session.\n    with tf.Session() as s:\n        s.run([w, y])\n"
    )
    assert migrated(text).partition("def main")[2] == textwrap.dedent(
        """\
        ():
            print(1)

            strategy = between_graph.parameter_server_strategy(
                worker_device='/job:worker/task:%d/gpu:0' % task,
                cluster=c,
                placed_by_hand=True)

            def replica_fn():
                # Variables.
                with tf.device('/job:ps/task:0'):  # first
                    w = f('''a
          b''',
                          1)
                z = w  # between

                with tf.device('/job:worker/task:%d/gpu:0' % task), tf.name_scope('n'):
                    y = z
                return w, y

            w, y = strategy.run(replica_fn)

            # The session.
            with tf.Session() as s:
                s.run([w, y])
        """
    )


def test_nested_blocks_are_one() -> None:
    text = HEAD + CLUSTER + "with tf.device('/job:worker/task:1'):\n  a = 1\n"
    text += textwrap.indent(PS, "  ") + "  y = w\n" + RUN
    after = migrated(text)
    assert (
        '(\n    worker_device="/job:worker/task:1", cluster=c, placed_by_hand=True)\n' in after
        or ('(worker_device="/job:worker/task:1", cluster=c, placed_by_hand=True)\n' in after)
    )
    assert "  return y\n\ny = strategy.run(replica_fn)\n" in after


@pytest.mark.parametrize(
    "cluster",
    [
        CLUSTER,
        "c = f()\ns = tf.train.Server(c, job_name='worker')\n",
        "c = f()\ns = tf.train.Server(server_or_cluster_def=c)\n",
    ],
)
def test_where_the_cluster_is_known_from(cluster: str) -> None:
    assert "cluster=c, placed_by_hand=True)" in migrated(HEAD + cluster + PS + WORKER + RUN)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (PS + WORKER, "no ClusterSpec or Server"),
        ("def f():\n  c = tf.train.ClusterSpec(x)\n" + PS + WORKER, "no ClusterSpec or Server"),
        (CLUSTER + PS + WORKER + WORKER.replace("1", "2"), "several workers"),
        (
            CLUSTER
            + PS
            + "for i in x:\n"
            + textwrap.indent(WORKER.replace(":1'", ":%d' % i"), "  "),
            "different functions or branches",
        ),
        (
            CLUSTER + "def f():\n" + textwrap.indent(PS + "return w\n", "  ") + WORKER,
            "different functions or branches",
        ),
        (CLUSTER + PS + RUN + WORKER, "session"),
        (CLUSTER + PS + "exec('')\n" + WORKER, "exec()"),
        (
            CLUSTER + "def f():\n" + textwrap.indent(PS + WORKER + "  return y\n", "  "),
            "return",
        ),
        (
            CLUSTER + PS + WORKER + "o = tf.train.SyncReplicasOptimizer(o, 2)\n",
            "SyncReplicasOptimizer",
        ),
    ],
)
def test_obstacles(text: str, word: str) -> None:
    reported = found(HEAD + text, "TFM304")
    assert [(f.severity.value, f.applied) for f in reported] == [("kept", False)]
    assert word in reported[0].message
    check_kept(HEAD + text)


def test_other_files_are_migrated_with_it() -> None:
    files = {
        "train.py": HEAD + "import model\n" + PS + WORKER,
        "model.py": HEAD + "def f():\n  return tf.placeholder(tf.float32)\n",
    }
    assert sorted(migrate_tree(files)[0]) == sorted(files)
    files["train.py"] = HEAD + "import model\n" + CLUSTER + PS + WORKER
    changed, _ = migrate_tree(files)
    assert sorted(changed) == sorted(files)
    assert migrate_tree(files | changed) == ({}, [])
