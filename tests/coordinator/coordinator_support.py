"""Runs the migrated program of this folder as a cluster on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from task_hosts import command_at, free_addresses

SECONDS = 300  # many times what any of these trainings takes, on a busy machine


class Job:
    """One process of a cluster."""

    def __init__(
        self,
        program: Path,
        arguments: list[str],
        log: Path,
        settings: Mapping[str, str],
        address: str,
    ) -> None:
        self.log = log
        command, descriptors = command_at(address, [sys.executable, str(program), *arguments])
        self.process = subprocess.Popen(
            command,
            pass_fds=descriptors,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", **settings},
            stdin=subprocess.DEVNULL,
            stdout=log.open("w"),
            stderr=subprocess.STDOUT,
        )

    def text(self) -> str:
        """Returns what it has printed so far."""
        return self.log.read_text()

    def wait(self) -> int:
        """Returns its exit code; one that does not end is killed."""
        try:
            return self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"no end after {SECONDS} s:\n{self.text()[-3000:]}") from None

    def wait_for(self, text: str) -> None:
        """Waits until it has printed a text."""
        end = time.monotonic() + SECONDS
        while text not in self.text():
            assert self.process.poll() is None, self.text()[-3000:]
            assert time.monotonic() < end, self.text()[-3000:]
            time.sleep(0.05)

    def kill(self) -> None:
        """Kills it without notice."""
        self.process.kill()
        self.process.wait()


class RunningCluster:
    """Serving jobs, and the coordinators that are started on them."""

    def __init__(self, program: Path, folder: Path, ps: int, workers: int) -> None:
        self._program = program
        self._folder = folder
        *addresses, chief = free_addresses(ps + workers + 1)
        self._hosts = [
            f"--ps_hosts={','.join(addresses[:ps])}",
            f"--worker_hosts={','.join(addresses[ps:])}",
        ]
        jobs = [("ps", i) for i in range(ps)] + [("worker", i) for i in range(workers)]
        self._addresses = dict(zip([*jobs, ("chief", 0)], [*addresses, chief], strict=True))
        self.jobs = {job: self._start(*job, [], {}) for job in jobs}

    def chief(self, *arguments: str, in_flight: int = 0) -> Job:
        """Starts the coordinator."""
        settings = {"TFMIGRATE_STEPS_IN_FLIGHT": str(in_flight)}
        job = self._start("chief", 0, [*arguments, f"--out={self._folder / 'out'}"], settings)
        self.jobs["chief", 0] = job
        return job

    def train(self, *arguments: str, in_flight: int = 0) -> dict[str, Any]:
        """Runs the coordinator to its end and returns its result."""
        job = self.chief(*arguments, in_flight=in_flight)
        assert job.wait() == 0, job.text()[-4000:]
        result: dict[str, Any] = json.loads((self._folder / "out").read_text())
        return result

    def _start(self, name: str, task: int, more: list[str], settings: Mapping[str, str]) -> Job:
        arguments = [f"--job_name={name}", f"--task_index={task}", *self._hosts, *more]
        log, address = self._folder / f"{name}{task}.log", self._addresses[name, task]
        return Job(self._program, arguments, log, settings, address)


@contextmanager
def running(program: Path, folder: Path, ps: int = 1, workers: int = 2) -> Iterator[RunningCluster]:
    """Starts the serving jobs of a cluster, and kills all that is left of it at the end."""
    cluster = RunningCluster(program, folder, ps, workers)
    try:
        yield cluster
    finally:
        for job in cluster.jobs.values():
            job.kill()
