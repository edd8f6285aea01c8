"""What waits for another task of the cluster says so: which, its address, and since when."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import tensorflow.compat.v1 as tf
from cluster_support import start

from tfmigrate_runtime.estimator.task import Task
from tfmigrate_runtime.train import peers, waits

CLOCK = r"\d\d:\d\d:\d\d"


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "SECONDS_UNTIL_SAID", 0.0)
    monkeypatch.setattr(waits, "_SECONDS_BETWEEN_LOOKS", 0.05)
    monkeypatch.setattr(waits, "_SECONDS_UNTIL_NOT_READY", 0.0)
    monkeypatch.setattr(waits, "_SECONDS_BETWEEN_LOOKS_AT_VARIABLES", 0.1)


@pytest.fixture
def gone() -> Iterator[str]:
    """Yields an address where nothing listens, and nothing else can begin to."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{held.getsockname()[1]}"


def listening() -> tuple[socket.socket, str]:
    server = socket.create_server(("127.0.0.1", 0))
    return server, f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.usefixtures("at_once")
def test_nothing_is_said_while_all_answer(capfd: pytest.CaptureFixture[str]) -> None:
    server, address = listening()
    with server, waits.Waits("worker 0 (here:1)", {"ps 0": address}).call():
        time.sleep(0.5)
    assert capfd.readouterr().err == ""


@pytest.mark.usefixtures("at_once")
def test_a_call_that_waits_names_who_is_missing(
    gone: str, capfd: pytest.CaptureFixture[str]
) -> None:
    server, there = listening()
    with server:
        waiting = waits.Waits("worker 0 (here:1)", {"ps 0": there, "worker 1": gone})
        with waiting.call():
            time.sleep(0.5)
        time.sleep(0.3)
    first, second = capfd.readouterr().err.splitlines()
    text = rf"worker 0 \(here:1\) has waited \d s for worker 1 \({gone}\), which has not been"
    assert re.fullmatch(rf"tfmigrate_runtime: {text} listening since {CLOCK}", first)
    assert re.fullmatch(r"tfmigrate_runtime: worker 0 \(here:1\) continues after \d s", second)


@pytest.mark.usefixtures("at_once")
def test_only_those_that_a_call_needs_are_named(
    gone: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with waits.Waits("worker 0 (here:1)", {"worker 1": gone}).call(needed=()):
        time.sleep(0.5)
    assert capfd.readouterr().err == ""


def test_short_calls_are_not_one_long_one(gone: str, capfd: pytest.CaptureFixture[str]) -> None:
    waiting = waits.Waits("worker 0 (here:1)", {"worker 1": gone})
    for _ in range(10_000):
        with waiting.call():
            pass
    assert capfd.readouterr().err == ""


def test_a_failed_call_says_at_once_who_is_lost(
    gone: str, capfd: pytest.CaptureFixture[str]
) -> None:
    nowhere = "no-such-host.invalid:2222"
    losses = peers.Losses("worker 0 (here:1)", {"ps 0": gone, "ps 1": nowhere, "ps 2": "here:1"})
    for _ in range(2):  # of which the second has nothing to add
        losses.say(["ps 0", "ps 1"], tf.errors.AbortedError(None, None, "lost"))
    (line,) = capfd.readouterr().err.splitlines()
    first = rf"ps 0 \({gone}\), which has not been listening since {CLOCK}"
    second = rf"ps 1 \({nowhere}\), whose host name does not resolve"
    assert re.fullmatch(rf"tfmigrate_runtime: worker 0 \(here:1\) lost {first}; {second}", line)


def test_a_task_that_still_listens_when_its_connections_are_gone_is_looked_at_again(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "_SECONDS_BETWEEN_LOOKS", 0.05)
    server, address = listening()
    losses = peers.Losses("worker 0 (here:1)", {"ps 0": address})
    with server:
        losses.say(["ps 0"], tf.errors.AbortedError(None, None, "of another kind"))
        losses.say(["ps 0"], tf.errors.UnavailableError(None, None, "lost"))
        assert capfd.readouterr().err == ""
    found, end = "", time.monotonic() + 5
    while not found and time.monotonic() < end:
        time.sleep(0.02)
        found = capfd.readouterr().err
    assert f"lost ps 0 ({address}), which has not been listening since" in found


def test_host_names_that_do_not_resolve_are_named_at_the_start(
    capfd: pytest.CaptureFixture[str],
) -> None:
    peers.say_unknown("worker 0 (here:1)", {"ps 0": "no-such-host.invalid:1", "ps 1": "[::1]:1"})
    for thread in threading.enumerate():
        if thread.name == "host names":
            thread.join()
    said = "worker 0 (here:1): the host name of ps 0 (no-such-host.invalid:1) does not resolve"
    assert capfd.readouterr().err == f"tfmigrate_runtime: {said}\n"


def test_a_host_that_refuses_is_told_from_one_that_is_silent(gone: str) -> None:
    missing = peers.Missing({"worker 1": gone})
    assert missing.look()
    assert missing.all_refuse
    with socket.socket() as full:  # whose queue takes no further connection: no answer comes
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = f"127.0.0.1:{full.getsockname()[1]}"
        with socket.create_connection(full.getsockname()):
            assert peers.look(address) == peers.SILENT


@pytest.mark.usefixtures("at_once")
def test_a_worker_names_the_variables_that_its_chief_does_not_have(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """In a process of its own graph and server; what it waits for is never initialized."""
    task = Task("worker", 1, {"worker": ["10.0.0.1:1", "10.0.0.2:1"], "ps": ["10.0.0.3:1"]})
    waits.watch_readiness(task)
    with tf.Graph().as_default():
        tf.get_variable("of_an_older_model", [])
        server = tf.train.Server.create_local_server()
        manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
        with pytest.raises(tf.errors.DeadlineExceededError):
            manager.wait_for_session(server.target, max_wait_secs=0.3)
    assert manager._recovery_wait_secs == 0.1, "not the half minute of TensorFlow"
    lines = capfd.readouterr().err.splitlines()
    line = next(line for line in lines if line.startswith("tfmigrate_runtime:"))
    assert (
        "worker 1 (10.0.0.2:1) has waited 0 s for the chief, usually worker 0 (10.0.0.1:1)," in line
    )
    assert "Variables not initialized: of_an_older_model" in line


def test_a_worker_whose_parameter_server_is_gone_says_so(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        """import json, os
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import between_graph
tf.disable_v2_behavior()
config = json.loads(os.environ["TF_CONFIG"])
task = config["task"]
server = between_graph.Server(config["cluster"], task["type"], task["index"])
if task["type"] == "ps":
    server.join()
with tf.device("/job:ps/task:0"):
    value = tf.constant(1)
with tf.Session(server.target) as session:
    print("VALUE", session.run(value), flush=True)
"""
    )
    tasks = start({}, tmp_path / "logs", [str(program)], ps=1, worker=1)
    tasks["ps0"].kill()
    try:
        tasks["worker0"].wait_for("has waited")
    finally:
        tasks["worker0"].kill()
    where, who = tasks["ps0"].address, tasks["worker0"].address
    said = (
        rf"worker 0 \({who}\) has waited 1\d s for ps 0 \({where}\), which has not been listening"
    )
    assert re.search(said, tasks["worker0"].text())
