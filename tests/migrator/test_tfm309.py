"""TFM309 and TFM310: with --coordinator the loop moves to one process, or the program stays."""

from __future__ import annotations

import textwrap

import pytest
from support import found, migrate_tree, migrated, run

from tfmigrate.model.findings import Severity

PLAIN = "import tensorflow as tf\n"
CLUSTER = "cluster = "
MAKE = "    train_op = make"
SESSION = "tf.train.MonitoredTrainingSession(master=server.target)"
PROGRAM = """\
import tensorflow as tf

cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
if FLAGS.job_name == 'ps':
  server.join()
elif FLAGS.job_name == 'worker':
  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 10])
    train_op = make_train_op(x)
  with tf.train.MonitoredTrainingSession(master=server.target) as sess:
    sess.run(train_op, feed_dict={x: next_batch()})
"""


def program(*changes: tuple[str, str]) -> str:
    """Returns the program with some of its code changed."""
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def after(*changes: tuple[str, str]) -> str:
    """Returns what a changed program becomes."""
    return migrated(program(*changes), coordinator=True)


def obstacles(text: str) -> list[tuple[int, str]]:
    """Returns the lines and reasons that keep a program as it was; checks that it stays."""
    result = run(textwrap.dedent(text), coordinator=True)
    assert result.texts == {}
    reported = [f for f in result.findings if f.code == "TFM310"]
    assert all(f.severity is Severity.MANUAL and f.action for f in reported)
    start = "a coordinator cannot run this program: "
    return [(f.line, f.message.removeprefix(start)) for f in reported]


def test_nothing_happens_without_the_option() -> None:
    text = migrated(PROGRAM)
    assert "between_graph" in text
    assert "coordinator" not in text
    assert found(PROGRAM, "TFM309") == found(PROGRAM, "TFM310") == []


def test_the_finding_says_how_the_program_is_started() -> None:
    (finding,) = found(PROGRAM, "TFM309", coordinator=True)
    assert (finding.line, finding.applied) == (4, True)
    assert "job name `chief` and task 0" in finding.message


def test_a_program_becomes_that_of_a_coordinator() -> None:
    assert after() == textwrap.dedent(
        """\
        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import coordinator

        tf.disable_v2_behavior()

        cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
        server = coordinator.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
        if FLAGS.job_name != 'chief':
          server.join()
        elif FLAGS.job_name == 'chief':
          strategy = coordinator.parameter_server_strategy(cluster=cluster)

          def replica_fn():
            x = tf.placeholder(tf.float32, [None, 10])
            train_op = make_train_op(x)
            return x, train_op

          x, train_op = strategy.run(replica_fn)
          with coordinator.MonitoredTrainingSession(master=server.target) as sess:
            sess.run(train_op, feed_dict={x: next_batch()})
        """
    )


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        # The ways in which jobs are reported apart.
        (("elif FLAGS.job_name == 'worker':", "else:"), "if FLAGS.job_name != 'chief':"),
        (("if FLAGS.job_name == 'ps'", 'if "ps" == FLAGS.job_name'), 'FLAGS.job_name != "chief"'),
        (
            ("  server.join()\n", "  server.join()\nif FLAGS.job_name != 'ps':\n  pass\n"),
            "elif FLAGS.job_name == 'chief':",
        ),
        (
            (
                CLUSTER,
                "chief = FLAGS.job_name == 'worker' and FLAGS.task_index == 0\ncluster = ",
            ),
            "chief = FLAGS.job_name == 'chief' and FLAGS.task_index == 0",
        ),
        # Lists of all jobs.
        (
            (CLUSTER, "assert FLAGS.job_name in ['ps', 'worker']\ncluster = "),
            "assert FLAGS.job_name in ['ps', 'worker', 'chief']",
        ),
        ((CLUSTER, "jobs = ('ps', 'worker')\ncluster = "), "jobs = ('ps', 'worker', 'chief')"),
        ((CLUSTER, "jobs = {'ps', 'worker'}\ncluster = "), "jobs = {'ps', 'worker', 'chief'}"),
        (
            (CLUSTER, "jobs = ['ps', 'worker', 'chief']\ncluster = "),
            "jobs = ['ps', 'worker', 'chief']\n",
        ),
        # Sessions.
        (
            (
                SESSION,
                "tf.Session(server.target)",
            ),
            "with coordinator.Session(server.target) as sess:",
        ),
        (
            ("  with tf.train.Mon", "  sv = tf.train.Supervisor(logdir=d)\n  with tf.train.Mon"),
            "sv = coordinator.Supervisor(logdir=d)",
        ),
        ((CLUSTER, "local = tf.Session()\ncluster = "), "local = tf.Session()"),
        # What the task's index may be used for.
        (
            (
                "setter(cluster",
                "setter(worker_device='/job:worker/task:%d' % FLAGS.task_index, cluster",
            ),
            "worker_device='/job:worker/task:%d' % FLAGS.task_index",
        ),
        ((CLUSTER, "print('task', FLAGS.task_index)\ncluster = "), "FLAGS.task_index)"),
        ((CLUSTER, "print(f'{FLAGS.task_index}')\ncluster = "), "{FLAGS.task_index}"),
    ],
)
def test_forms(change: tuple[str, str], wanted: str) -> None:
    text = after(change)
    assert wanted in text
    assert "coordinator.parameter_server_strategy" in text


def test_a_session_in_the_block_stays_under_the_scope() -> None:
    inside = ("  with tf.train.Mon", "    with tf.train.Mon"), ("    sess.run", "      sess.run")
    text = after(*inside)
    assert "with strategy.scope():" in text
    assert "with coordinator.MonitoredTrainingSession(" in text


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        (
            (MAKE, "    x = tf.train.batch([x], 2)\n    train_op = make"),
            10,
            "input queue",
        ),
        (
            (MAKE, "    x = data.make_one_shot_iterator()\n    train_op = make"),
            10,
            "tf.data iterator",
        ),
        (
            (MAKE, "    x = tf.py_func(f, [x], tf.int32)\n    train_op = make"),
            10,
            "Python function",
        ),
        (
            (SESSION, "tf.InteractiveSession()"),
            11,
            "this kind of session",
        ),
        (("    sess.run(", "    m = tf.RunMetadata()\n    sess.run("), 12, "no trace"),
        (("  server.join()", "  wait()"), 4, "server.join()"),
        (("job_name=FLAGS.job_name", "job_name='worker'"), 4, "no chief can be started"),
        (
            (CLUSTER, "if FLAGS.job_name == 'worker':\n  log()\ncluster = "),
            3,
            "chief or the workers",
        ),
        ((CLUSTER, "a = FLAGS.job_name != 'worker'\ncluster = "), 3, "outside an `if`"),
        ((CLUSTER, "a = FLAGS.job_name in names\ncluster = "), 3, "unsupported test"),
        ((CLUSTER, "S = tf.train.Supervisor\ncluster = "), 3, "unsupported use: Supervisor"),
        ((CLUSTER, "sv = tf.train.Supervisor(g, None)\ncluster = "), 3, "positional arguments"),
        (
            (CLUSTER, "server = tf.train.Server(cluster)\ncluster = "),
            5,
            "tf.train.Server exactly once",
        ),
    ],
)
def test_obstacles(change: tuple[str, str], line: int, reason: str) -> None:
    reported = obstacles(program(change))
    assert [(at, reason in text) for at, text in reported] == [(line, True)]


def test_synchronous_programs_stay() -> None:
    wrapped = "    opt = tf.train.SyncReplicasOptimizer(opt, replicas_to_aggregate=2)\n    train_op"
    reported = obstacles(program(("    train_op", wrapped)))
    assert (10, "it trains synchronously, but a coordinator trains asynchronously") in reported


def test_a_server_in_another_file_is_an_obstacle() -> None:
    files = {
        "train.py": program((PLAIN, f"{PLAIN}import serving\n")),
        "serving.py": "import tensorflow as tf\n\ndef serve(c):\n  tf.train.Server(c).join()\n",
    }
    changed, findings = migrate_tree(files, coordinator=True)
    assert changed == {}
    (finding,) = [f for f in findings if f.code == "TFM310"]
    assert (finding.path, finding.line) == ("serving.py", 4)


def test_programs_on_one_machine_have_nothing_to_coordinate() -> None:
    text = f"{PLAIN}with tf.device(tf.train.replica_device_setter()):\n  a = f()\n"
    assert found(text, "TFM309", coordinator=True) == found(text, "TFM310", coordinator=True) == []


@pytest.mark.parametrize(
    "use",
    [
        "data = data.shard(2, FLAGS.task_index)",
        "examples = examples[FLAGS.task_index::2]",
        "seed = FLAGS.task_index + 1",
        "train(FLAGS.task_index)",
        "last = FLAGS.task_index == 1",
    ],
)
def test_what_only_task_0_would_do_needs_unsafe(use: str) -> None:
    text = program((CLUSTER, f"{use}\n{CLUSTER}"))
    result = run(text, coordinator=True)
    assert result.texts == {}
    (finding,) = [f for f in result.findings if f.code == "TFM311"]
    assert (finding.line, finding.severity, finding.applied) == (3, Severity.UNSAFE, False)
    assert "coordinator.Server(" in migrated(text, coordinator=True, unsafe=True)
    assert "between_graph" in migrated(text)
