"""TFM307: synchronous programs that are left whole, with every reason at its line."""

from __future__ import annotations

import textwrap

import pytest
from support import check_kept, found, migrate_tree, migrated
from sync_support import HEAD, SESSION, WRAPPED, program

SERVER = "  server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)\n"


def check_left(text: str, *expected: tuple[str, str]) -> None:
    """Checks that a program keeps its construct, also with --unsafe, for reasons at lines.

    Args:
        text: the program.
        *expected: for each reason a part of the line it is reported at, and a part of the reason.
    """
    for unsafe in (False, True):
        if "contrib" in text:  # names of tf.contrib change as well
            assert "replica_fn" not in migrated(text, unsafe=unsafe)
        else:
            check_kept(text, unsafe=unsafe)
    reported = found(text, "TFM307")
    lines = text.splitlines()
    places = [(lines[finding.line - 1], finding.message) for finding in reported]
    assert len(places) == len(expected), places
    for (line, message), (part, reason) in zip(places, expected, strict=True):
        assert part in line
        assert reason in message
    assert all(f.action and not f.applied and f.severity.value == "kept" for f in reported)


def test_program_that_is_carried_has_no_reason() -> None:
    assert found(program(WRAPPED), "TFM307") == []


def test_asynchronous_program_may_have_any_session() -> None:
    text = program("", "with tf.Session(server.target) as sess:\n  sess.run(train_op)\n")
    assert found(text, "TFM307") == []
    assert "between_graph.parameter_server_strategy(" in migrated(text)


@pytest.mark.parametrize(
    "session",
    [
        "tf.Session(server.target)",
        "tf.InteractiveSession(server.target)",
        "tf.Session(target=server.target, graph=graph)",
        "tf.Session()",
        "tf.train.MonitoredSession(session_creator=creator)",
        "tf.train.SingularMonitoredSession(master=server.target)",
        "tf.train.SessionManager()",
        "tf.contrib.training.train(train_op, 'logs', server.target)",
        "tf.contrib.slim.learning.train(train_op, 'logs', master=server.target)",
    ],
)
def test_session_of_its_own(session: str) -> None:
    check_left(
        program(WRAPPED, f"sess = {session}\n"),
        (session, "creates a session that does not start the synchronous workers together"),
    )


def test_every_reason_is_reported() -> None:
    text = program(
        "opt = tf.train.SyncReplicasOptimizer(opt, 1, total_num_replicas=2)\n",
        "a = tf.Session(server.target)\nb = tf.train.SessionManager()\n",
    )
    check_left(
        text,
        ("SyncReplicasOptimizer", "tf.distribute has no backup replicas"),
        ("tf.Session", "creates a session"),
        ("tf.train.SessionManager", "creates a session"),
    )


def test_session_on_a_graph_of_its_own_stays() -> None:
    head = HEAD.replace(
        "def main",
        "def evaluate():\n"
        "  with tf.Graph().as_default():\n"
        "    with tf.Session() as sess:\n"
        "      print(sess.run(tf.constant(1)))\n\n"
        "def main",
    )
    text = program(WRAPPED, head=head)
    assert found(text, "TFM307") == []
    assert "with tf.Session() as sess:" in migrated(text)


def test_local_session_beside_the_block_of_the_setter() -> None:
    """It is of a graph of its own, as one that writes a checkpoint to start from."""
    own = "  with tf.Graph().as_default(), tf.Session() as sess:\n    sess.run(tf.constant(1))\n"
    text = program(WRAPPED, head=HEAD + own)
    assert found(text, "TFM307") == []
    assert "between_graph.SyncReplicasOptimizer(" in migrated(text)
    trains = "with tf.Session() as sess:\n  sess.run(train_op)\n"
    inside = program(WRAPPED, session=trains).replace(HEAD, "")
    text = f"{HEAD}  with tf.Graph().as_default():\n{textwrap.indent(inside, '  ')}"
    assert len(found(text, "TFM307")) == 1


@pytest.mark.parametrize(
    ("arguments", "differ"),
    [
        ("opt, 2, total_num_replicas=2", False),
        ("opt, replicas_to_aggregate=2, total_num_replicas=3", True),
        ("opt, workers, total_num_replicas=workers", False),
        ("opt, workers - 1, total_num_replicas=workers", True),
        ("opt, workers, workers + 1", True),
        ("opt, FLAGS.replicas, total_num_replicas=workers", False),
        ("opt, 2", False),
    ],
)
def test_backup_replicas(arguments: str, differ: bool) -> None:
    text = program(f"workers = 2\nopt = tf.train.SyncReplicasOptimizer({arguments})\n")
    if differ:
        check_left(text, ("SyncReplicasOptimizer", "tf.distribute has no backup replicas"))
    else:
        assert found(text, "TFM307") == []


def test_no_server_in_the_files() -> None:
    text = program(WRAPPED, SESSION.replace("server.target", "FLAGS.master"))
    text = text.replace(SERVER, "").replace("    server.join()\n", "    return\n")
    check_left(text, ("SyncReplicasOptimizer", "no tf.train.Server in these files"))


def test_local_server() -> None:
    text = program(WRAPPED).replace(SERVER, "  server = tf.train.Server.create_local_server()\n")
    check_kept(text)
    assert "a local server connects no workers" in " ".join(
        f.message for f in found(text, "TFM307")
    )


def test_what_is_kept_asks_for_the_keras_that_it_needs() -> None:
    text = program(WRAPPED).replace(SERVER, "  server = tf.train.Server.create_local_server()\n")
    assert migrated(text).startswith(
        'import os\n\nos.environ.setdefault("TF_USE_LEGACY_KERAS", "1")\n\nimport tensorflow'
    )
    plain = text.replace("tf.layers.dense(x, 1)", "x")
    assert "KERAS" not in migrated(plain)


def test_server_class_that_is_handed_on() -> None:
    text = program(WRAPPED).replace(SERVER, f"{SERVER}  make(tf.train.Server)\n")
    check_left(text, ("make(", "tf.train.Server is referenced without being called"))


def test_flag_that_is_assigned() -> None:
    text = program(f"if FLAGS.sync:\n  {WRAPPED}").replace(SERVER, f"  FLAGS.sync = 1\n{SERVER}")
    check_left(
        text,
        ("tf.train.Server", "before it is known whether the program trains synchronously"),
        ("replica_device_setter", "`FLAGS.sync` is assigned at program.py:7"),
    )


def test_flag_that_is_read_after_the_server() -> None:
    body = f"sync = ask()\nif sync:\n  {WRAPPED}"
    check_left(
        program(body),
        ("tf.train.Server", "`ask()` may return a different value later"),
        ("replica_device_setter", "`ask()` may return a different value later"),
    )


def test_server_in_another_file_than_the_flag() -> None:
    servers = "import tensorflow as tf\ndef start(c):\n  return tf.train.Server(c, 'worker', 0)\n"
    for wrapping, carried in ((WRAPPED, True), (f"if FLAGS.sync:\n  {WRAPPED}", False)):
        text = program(wrapping).replace(SERVER, "  server = servers.start(cluster)\n")
        text = text.replace("\n", "\nimport servers\n", 1)
        changed, reported = migrate_tree({"train.py": text, "servers.py": servers})
        if carried:
            assert "between_graph.Server(" in changed["servers.py"]
            assert "sync_replicas=True)" in changed["servers.py"]
        else:
            assert "between_graph.Server(c, 'worker', 0)" in changed["servers.py"]
            assert "replica_fn" not in changed["train.py"]
            places = [(f.path, f.line) for f in reported if f.code == "TFM307"]
            assert places == [("servers.py", 3)]


def test_session_in_another_function() -> None:
    helper = (
        "def train(server, is_chief, train_op):\n"
        "  with tf.train.MonitoredTrainingSession(server.target, is_chief) as sess:\n"
        "    sess.run(train_op)\n\n"
    )
    text = program(WRAPPED, "train(server, is_chief, train_op)\n").replace(
        "def main", f"{helper}def main", 1
    )
    check_left(text, ("MonitoredTrainingSession", "strategy of its graph is unknown"))


def test_session_manager_of_its_own() -> None:
    session = "sv = tf.train.Supervisor(is_chief=is_chief, session_manager=manager)\n"
    check_left(program(WRAPPED, session), ("tf.train.Supervisor", "session_manager"))


def test_supervisor_class_that_is_extended() -> None:
    head = HEAD.replace("def main", "class Mine(tf.train.Supervisor):\n  pass\n\ndef main")
    check_left(
        program(WRAPPED, head=head), ("class Mine", "Supervisor is referenced without being called")
    )


def test_queue_on_a_parameter_server() -> None:
    queue = "  with tf.device('/job:ps/task:0'):\n    done = tf.FIFOQueue(2, tf.int32)\n"
    text = program(WRAPPED).replace("  is_chief =", f"{queue}  is_chief =")
    check_left(text, ("tf.device('/job:ps", "parameter server"))
    inside = program(queue.replace("  with", "with").replace("    done", "  done") + WRAPPED)
    check_left(inside, ("tf.device('/job:ps", "parameter server"))


def test_variable_on_a_parameter_server_within_the_block() -> None:
    text = program("with tf.device('/job:ps/task:0'):\n  v = tf.Variable(0)\n" + WRAPPED)
    assert found(text, "TFM307") == []
    assert "with tf.device('/job:ps/task:0'):" in migrated(text)


def test_block_that_cannot_be_a_function_leaves_the_program_whole() -> None:
    text = program(f"if FLAGS.sync:\n  {WRAPPED}if FLAGS.stop:\n  return\n")
    check_kept(text)
    assert found(text, "TFM304")
    assert not found(text, "TFM303")


def test_training_after_the_block() -> None:
    text = program("", f"{WRAPPED}train_op = opt.minimize(loss, step)\n{SESSION}")
    text = text.replace("    train_op = opt.minimize(loss, step)\n", "", 1)
    check_left(
        text,
        ("SyncReplicasOptimizer", "outside the block of the device setter"),
        ("opt.minimize", "outside the block of the device setter"),
    )


def test_training_in_a_function_that_the_block_calls() -> None:
    helper = (
        "def train(opt, loss, step):\n"
        "  opt = tf.train.SyncReplicasOptimizer(opt, 2)\n"
        "  return opt.minimize(loss, step)\n\n"
    )
    text = program("").replace("def main", f"{helper}def main", 1)
    text = text.replace("train_op = opt.minimize(loss, step)", "train_op = train(opt, loss, step)")
    assert found(text, "TFM307") == []
    assert "opt = between_graph.SyncReplicasOptimizer(opt, 2)" in migrated(text)
    outside = text.replace("    train_op = train(", "  train_op = train(")
    check_left(
        outside,
        ("SyncReplicasOptimizer", "outside the block of the device setter"),
        ("opt.minimize", "outside the block of the device setter"),
    )
