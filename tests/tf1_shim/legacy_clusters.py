"""Starts the programs of these tests that are clusters; on Python 3.7 or newer."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).resolve().parent / "programs"
STORED = Path(__file__).resolve().with_name("clusters_of_tensorflow_1_15.json")
SECONDS = 300.0  # more than any of these clusters takes, on two busy cores

# The processes of the Estimators' clusters, with the task of each in each cluster.
ESTIMATORS = {
    "chief": {"plain": ("chief", 0), "collective": ("chief", 0), "servers": ("chief", 0)},
    "worker": {"plain": ("worker", 0), "collective": ("worker", 0), "servers": ("ps", 0)},
    "evaluator": {"plain": ("evaluator", 0)},
    "server": {"plain": ("ps", 0)},
}
SERVES = ("worker", "server")  # their last task is one that joins its server, for ever


def free_addresses(count: int) -> list[str]:
    """Returns addresses on this machine that nobody listens at."""
    sockets = [socket.socket() for _ in range(count)]
    for number in sockets:
        number.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{number.getsockname()[1]}" for number in sockets]
    for number in sockets:
        number.close()
    return addresses


def run_together(
    commands: dict[str, Sequence[str]], serving: Sequence[str], left_behind: Sequence[str] = ()
) -> dict[str, str]:
    """Runs processes until all have ended but those that serve; returns what each has printed.

    Args:
        commands: what runs each of them.
        serving: those that never end.
        left_behind: those that may never end: a worker that comes before the variables are there
            looks again after 30 s, and waits for ever where its peer has left by then, as on
            TensorFlow 1.15 (semantics.md, 3).

    Raises:
        AssertionError: one failed, or did not end.
    """
    with tempfile.TemporaryDirectory() as name:
        logs = {key: Path(name, key) for key in commands}
        environment = {k: v for k, v in os.environ.items() if k != "TF_CONFIG"}
        environment["PYTHONUNBUFFERED"] = "1"  # what a task said that is killed
        tasks = {}
        try:
            for key, command in commands.items():
                with logs[key].open("w") as log:
                    tasks[key] = subprocess.Popen(
                        list(command), stdout=log, stderr=subprocess.STDOUT, env=environment
                    )
            end = time.monotonic() + SECONDS
            while any(tasks[key].poll() is None for key in tasks if key not in serving):
                left = [key for key in tasks if tasks[key].poll() is None and key not in serving]
                if set(left) <= {key for key in left_behind if _waits(logs[key].read_text())}:
                    break
                failed = [key for key in tasks if tasks[key].poll() not in (None, 0)]
                assert not failed, "\n".join(logs[key].read_text()[-3000:] for key in failed)
                assert time.monotonic() < end, [log.read_text()[-2000:] for log in logs.values()]
                time.sleep(0.05)
            printed = {key: log.read_text() for key, log in logs.items()}
            codes = {key: tasks[key].poll() for key in tasks}
        finally:
            for task in tasks.values():
                task.kill()
                task.wait()
    for key, code in codes.items():
        allowed: tuple[int | None, ...] = (None,) if key in serving else (0,)
        if key in left_behind and _waits(printed[key]):
            allowed = (0, None)
        assert code in allowed, (key, codes, printed)
    return printed


def _waits(log: str) -> bool:
    """Returns whether the last that a worker said is that the variables are not there yet."""
    lines = [line for line in log.splitlines() if line.startswith("INFO:tensorflow:")]
    return bool(lines) and lines[-1].startswith("INFO:tensorflow:Waiting for model to be ready")


def estimators(interpreter: Sequence[str], folder: Path) -> dict[str, dict[str, Any]]:
    """Runs Estimators in their clusters; returns what each process said in each of them.

    Args:
        interpreter: what runs a program.
        folder: an empty folder.
    """
    clusters: dict[str, dict[str, list[str]]] = {}
    for tasks in ESTIMATORS.values():
        for kind, (job, _) in tasks.items():
            if job != "evaluator":  # it is not part of the cluster
                clusters.setdefault(kind, {})[job] = free_addresses(1)
    commands = {}
    for name, tasks in ESTIMATORS.items():
        configs = {
            kind: {"cluster": clusters[kind], "task": {"type": job, "index": index}}
            for kind, (job, index) in tasks.items()
        }
        program = str(PROGRAMS / "estimator_cluster.py")
        commands[name] = [*interpreter, program, str(folder), json.dumps(configs)]
    printed = run_together(commands, SERVES)
    return {name: _said(text) for name, text in printed.items()}


def _said(text: str) -> dict[str, Any]:
    """Returns what a process of ``estimator_cluster.py`` said, by cluster."""
    found: dict[str, Any] = {}
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "RUNS":
            said = found[rest] = {"CONFIG": [], "EVALUATED": [], "RESULT": [], "DONE": False}
        elif word == "DONE":
            said["DONE"] = True
        elif word in ("CONFIG", "EVALUATED", "RESULT"):
            said[word].append(json.loads(rest))
    return found
