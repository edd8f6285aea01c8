"""SIGTERM to all tasks of a program with a Supervisor: a last checkpoint, where it is wanted."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path

import pytest
import tensorflow.compat.v1 as tf
from between_graph_support import started

from tfmigrate_runtime.train import sigterm


def test_a_supervisor_saves_when_all_get_sigterm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(sigterm.SETTING, "1")
    folder = tmp_path / "model"
    options = {"supervisor": True, "steps": 10_000, "turns": True, "folder": str(folder)}
    tasks = started(options, tmp_path / "logs", ps=1, worker=1)
    while not (tmp_path / "logs" / "20").exists():
        assert tasks["worker0"].process.poll() is None, tasks["worker0"].text()[-3000:]
        time.sleep(0.05)
    for task in tasks.values():  # the parameter server first
        task.process.send_signal(signal.SIGTERM)
    assert [task.wait(60) for task in tasks.values()] == [143, 143]
    said = tasks["worker0"].text()
    saved = re.search(r"worker 0 .* got SIGTERM, has saved (\S+), and ends", said)
    assert saved, said[-3000:]
    assert tf.train.latest_checkpoint(str(folder)) == saved.group(1)
    reader = tf.train.load_checkpoint(saved.group(1))
    assert reader.get_tensor("global_step") >= 20
