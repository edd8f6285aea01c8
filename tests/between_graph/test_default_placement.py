"""What a program puts on no task of its cluster is where TensorFlow 1.15 put it."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python.client import session

from tfmigrate_runtime.between_graph import default_placement, parameter_server_strategy
from tfmigrate_runtime.compat import patches

HERE = Path(__file__).parent
PROGRAM = HERE / "programs/default_placement.py"
TASKS = [("ps", 0), ("worker", 0), ("worker", 1)]


@pytest.mark.parametrize(
    ("runner", "options"),
    [(["-m", "tfmigrate_runtime.tf1_shim"], ["--legacy"]), ([], []), ([], ["--client"])],
    ids=["legacy", "ours", "client"],
)
def test_every_session_places_as_on_tensorflow_1_15(runner: list[str], options: list[str]) -> None:
    command = [sys.executable, *runner, str(PROGRAM), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    original = json.loads((HERE / "original_default_placement.json").read_text())
    assert json.loads(done.stdout[done.stdout.index("{") :]) == original


@pytest.mark.parametrize(
    "device, wanted",
    [
        ("", "/job:ps/replica:0/task:0"),
        ("/cpu:0", "/job:ps/replica:0/task:0/device:CPU:0"),
        ("/job:worker", "/job:worker/replica:0/task:0"),
        ("/task:1", "/job:worker/replica:0/task:1"),
        ("/job:worker/task:1", "/job:worker/task:1"),
        ("/gpu:0", "/gpu:0"),
        ("/job:worker/gpu:0", "/job:worker/gpu:0"),
        ("/job:other", "/job:other"),
    ],
)
def test_a_device_is_completed(device: str, wanted: str) -> None:
    assert default_placement.completed(device, TASKS) == wanted


def test_what_is_placed_stays_when_the_graph_grows() -> None:
    with tf.Graph().as_default() as graph:
        first = tf.constant(1.0)
        default_placement.place(graph, TASKS)
        second = tf.constant(2.0)
        default_placement.place(graph, TASKS[1:])
        assert first.device == "/job:ps/replica:0/task:0"
        assert second.device == "/job:worker/replica:0/task:0"


def test_what_is_placed_by_hand_stays_in_a_replica_function() -> None:
    def replica_fn() -> list[str]:
        with tf.device("/job:ps/task:1"):
            by_hand = tf.Variable(1.0, use_resource=False)
        return [by_hand.device, tf.Variable(1.0, use_resource=False).device]

    cluster = {"ps": ["h0:1", "h1:1"], "worker": ["h2:1"]}
    with tf.Graph().as_default():
        strategy = parameter_server_strategy(
            worker_device="/job:worker/task:0", cluster=cluster, placed_by_hand=True
        )
        assert strategy.run(replica_fn) == ["/job:ps/task:1", ""]


def test_a_program_that_wraps_sessions_itself_is_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    extend = session.BaseSession._extend_graph

    @functools.wraps(extend)
    def theirs(self: Any) -> Any:
        return extend(self)

    monkeypatch.setattr(session.BaseSession, "_extend_graph", theirs)
    monkeypatch.setattr(patches, "_originals", {})
    monkeypatch.setattr(default_placement, "_tasks", [])
    default_placement.place_as_tensorflow_1({"worker": ["localhost:1"]})
    assert session.BaseSession._extend_graph is not theirs
