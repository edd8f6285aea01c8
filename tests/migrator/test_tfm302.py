"""TFM302: a device setter without effect is removed."""

from __future__ import annotations

import textwrap

import pytest
from support import check, check_kept, found, migrated

HEAD = "import tensorflow as tf\n"
GRAPH_MODE = "import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n\n"
NONE = "tf.train.replica_device_setter()"
CLUSTER = "tf.train.replica_device_setter(cluster=cluster)"
RUNTIME = (
    "import tensorflow.compat.v1 as tf\nfrom tfmigrate_runtime import estimator\n\n"
    "tf.disable_eager_execution()\n\n"
)


@pytest.mark.parametrize(
    "arguments",
    [
        "1",
        "ps_tasks=n",
        "cluster=c",
        "**options",
        "*options",
        "0, cluster=c",
        "0, '/job:ps', w, True, c",
    ],
)
def test_setters_that_may_place_something_do_not_go(arguments: str) -> None:
    text = f"{HEAD}with tf.device(tf.train.replica_device_setter({arguments})):\n  a = 1\n"
    assert not found(text, "TFM302")
    assert "parameter_server_strategy(" in migrated(text)


@pytest.mark.parametrize("arguments", ["", "0", "ps_tasks=0", "cluster=None", "0, worker_device=w"])
def test_one_machine(arguments: str) -> None:
    text = f"with tf.device(tf.train.replica_device_setter({arguments})):\n  a = 1\nprint(a)\n"
    check(HEAD + text, GRAPH_MODE + "a = 1\nprint(a)\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # What the block leaves is not an obstacle: it is not a function.
        (
            f"for i in x:\n  with tf.device({NONE}):\n    break\n",
            "for i in x:\n  break\n",
        ),
        # Comments, blank lines, strings over several lines.
        (
            f"# a\nwith tf.device({NONE}):  # b\n\n    # c\n    a = '''\n  d'''\n"
            "    # e\n\n# f\nb = 1\n",
            "# a\n# b\n# c\na = '''\n  d'''\n# e\n\n# f\nb = 1\n",
        ),
        (
            f"if x:\n\twith tf.device({NONE}):\n\t\ta = f(1,\n\t\t\t2)\n",
            "if x:\n\ta = f(1,\n\t\t2)\n",
        ),
        (f"with tf.device({NONE}): a = 1; b = 2\n", "a = 1; b = 2\n"),
        (
            f"with tf.device({NONE}), tf.name_scope('n'):\n  a = 1\n",
            "with tf.name_scope('n'):\n  a = 1\n",
        ),
        (
            f"with tf.name_scope('n'), tf.device({NONE}):\n  a = 1\n",
            "with tf.name_scope('n'):\n  a = 1\n",
        ),
        # Under another device it was `tf.device(None)`.
        (
            f"with tf.device('/gpu:0'):\n  with tf.device({NONE}):\n    a = 1\n",
            "with tf.device('/gpu:0'):\n  with tf.device(None):\n    a = 1\n",
        ),
        # Comments between its arguments.
        (
            "with tf.device(tf.train.replica_device_setter(\n"
            "    ps_tasks=0,  # a\n    worker_device='/cpu:0')):  # b\n  a = 1\n  # c\nb = 2\n",
            "# a\n# b\na = 1\n# c\nb = 2\n",
        ),
        # In a variable, from a function.
        (f"s = {NONE}  # why\nwith tf.device(s):\n  a = 1\n", "# why\na = 1\n"),
        (f"def s():\n  return {NONE}\nwith tf.device(s()):\n  a = 1\n", "a = 1\n"),
    ],
)  # fmt: skip
def test_block_is_dedented(before: str, after: str) -> None:
    got = migrated(HEAD + before).removeprefix(GRAPH_MODE)
    assert got.removeprefix("import tensorflow.compat.v1 as tf\n") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"with tf.device({CLUSTER}):\n  e = tf.estimator.Estimator(f)\ne.train(g)\n",
            "e = estimator.Estimator(f)\ne.train(g)\n",
        ),
        (
            "def run():\n  tf.estimator.Estimator(f).train(g)\n"
            f"s = {CLUSTER}\nwith tf.device(s):\n  run()\n",
            "\ndef run():\n  estimator.Estimator(f).train(g)\nrun()\n",
        ),
    ],
)
def test_estimators_never_saw_it(before: str, after: str) -> None:
    check(HEAD + before, RUNTIME + after)


def test_a_new_graph_never_saw_it() -> None:
    text = f"with tf.device({CLUSTER}):\n  with tf.Graph().as_default():\n    a = 1\n"
    check(HEAD + text, GRAPH_MODE + "with tf.Graph().as_default():\n  a = 1\n")
    text = f"with tf.device({CLUSTER}), tf.Graph().as_default():\n  a = 1\n"
    check(HEAD + text, GRAPH_MODE + "with tf.Graph().as_default():\n  a = 1\n")


def test_the_graph_of_the_setter_is_no_new_graph() -> None:
    text = f"with tf.device({CLUSTER}):\n  with graph.as_default():\n    a = 1\n"
    assert not found(HEAD + text, "TFM302")


def test_a_setter_with_an_obstacle_stays() -> None:
    text = HEAD + textwrap.dedent(f"""\
        s = {NONE}
        s = '/cpu:0'
        with tf.device(s):
          a = 1
        """)
    check_kept(text)
    assert [f.line for f in found(text, "TFM304")] == [2]
