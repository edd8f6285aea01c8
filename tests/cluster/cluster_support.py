"""Starts the tasks of a cluster on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf
from task_hosts import command_at, free_addresses

PROGRAM = Path(__file__).parent / "programs" / "cluster_program.py"
SECONDS = 150  # more than any of these trainings takes, on two busy cores


class Task:
    """A running process of a cluster."""

    def __init__(
        self,
        options: dict[str, Any],
        config: dict[str, Any] | None,
        log: Path,
        command: Sequence[str] = (),
        address: str = "",
    ) -> None:
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
        environment.pop("TF_CONFIG", None)
        if config is not None:
            environment["TF_CONFIG"] = json.dumps(config)
        self.log = log
        self.address = address
        whole = [sys.executable, *(command or (str(PROGRAM), json.dumps(options)))]
        whole, descriptors = command_at(address, whole)
        self.process = subprocess.Popen(
            whole,
            env=environment,
            pass_fds=descriptors,
            stdout=log.open("w"),
            stderr=subprocess.STDOUT,
        )

    def text(self) -> str:
        """Returns what it has printed so far."""
        return self.log.read_text()

    def wait(self, seconds: float = SECONDS) -> int:
        """Returns its exit code; one that does not end is killed."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"no end after {seconds} s:\n{self.text()[-3000:]}") from None

    def losses(self) -> list[float]:
        """Waits for its end, and returns its losses."""
        code = self.wait()
        assert code == 0, self.text()[-3000:]
        values: list[float] = json.loads(self.text().partition("DONE ")[2].splitlines()[0])
        return values

    def wait_for(self, text: str) -> None:
        """Waits until it has printed a text."""
        end = time.monotonic() + SECONDS
        while text not in self.text():
            assert self.process.poll() is None, self.text()[-3000:]
            assert time.monotonic() < end, self.text()[-3000:]
            time.sleep(0.05)

    def kill(self) -> None:
        """Kills it without notice."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def start(
    options: dict[str, Any],
    folder: Path,
    command: Sequence[str] = (),
    more: Mapping[str, Any] | None = None,
    **jobs: int,
) -> dict[str, Task]:
    """Starts every task of a cluster.

    Args:
        options: those of the program of these tests.
        folder: where the logs go.
        command: another program, with its arguments.
        more: what else TF_CONFIG holds.
        **jobs: numbers of tasks by type.
    """
    addresses = free_addresses(sum(jobs.values()))
    cluster = {kind: [addresses.pop() for _ in range(count)] for kind, count in jobs.items()}
    folder.mkdir(parents=True, exist_ok=True)
    return {
        f"{kind}{index}": Task(
            options,
            {"cluster": cluster, "task": {"type": kind, "index": index}, **(more or {})},
            folder / f"{kind}{index}.log",
            command,
            cluster[kind][index],
        )
        for kind, count in jobs.items()
        for index in range(count)
    }


def start_alone(options: dict[str, Any], folder: Path) -> Task:
    """Starts one process."""
    folder.mkdir(parents=True, exist_ok=True)
    return Task(options, None, folder / "alone.log")


def variables(folder: Path) -> dict[str, Any]:
    """Returns the arrays of the latest checkpoint."""
    reader = tf.train.load_checkpoint(str(folder))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def assert_same_variables(found: Path, wanted: Path, tolerance: float) -> None:
    """Checks that two checkpoints have the same variables with the same values."""
    ours, theirs = variables(found), variables(wanted)
    assert set(ours) == set(theirs)
    for name, value in theirs.items():
        np.testing.assert_allclose(ours[name], value, rtol=0, atol=tolerance, err_msg=name)
