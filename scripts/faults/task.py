"""Tasks of a cluster that are started, killed and watched one by one, each on a host of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from tfmigrate_runtime.verify.hosts import Hosts, Network
from tfmigrate_runtime.verify.running.cluster import Cluster, Task, addresses_on, arguments_of

_SECONDS_TO_RESTART = 5.0  # after an error, as a supervisor of processes would
_MOST_RESTARTS = 8


class WatchedTask:
    """A task: its process, and its output with the second of every line.

    Attributes:
        task: which one it is.
        lines: seconds since the cluster's start, and a line.
        restarts: how often it was started again after an error.
        should_run: whether it is started again after an error.
    """

    def __init__(self, cluster: FaultyCluster, task: Task, number: int) -> None:
        """Starts nothing yet."""
        self._cluster = cluster
        self._number = number
        self._process: subprocess.Popen[str] | None = None
        self._restart_at: float | None = None
        self.task = task
        self.lines: list[tuple[float, str]] = []
        self.more: tuple[str, ...] = ()
        self.restarts = 0
        self.should_run = False

    @property
    def code(self) -> int | None:
        """The exit code, None while it runs or before it was started."""
        return None if self._process is None else self._process.poll()

    def start(self, *more: str) -> None:
        """Starts it, with further arguments."""
        self.more, self.should_run, self._restart_at = more, True, None
        command, environment, descriptors = self._cluster.command(self.task, self._number, more)
        self._note("started")
        self._process = subprocess.Popen(
            command,
            env=environment,
            pass_fds=descriptors,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()

    def kill(self) -> None:
        """Kills it with SIGKILL; it is not started again by itself."""
        self.should_run = False
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._note("killed")

    def terminate(self) -> None:
        """Sends SIGTERM; it is not started again by itself."""
        self.should_run = False
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            self._note("SIGTERM")

    def restart_after_error(self) -> None:
        """Starts it again a while after it has ended with an error."""
        if not self.should_run or not self.code or self.restarts >= _MOST_RESTARTS:
            return
        if self._restart_at is None:
            self._note(f"ended with exit code {self.code}")
            self._restart_at = self._cluster.now() + _SECONDS_TO_RESTART
        elif self._cluster.now() >= self._restart_at:
            self.restarts += 1
            self.start(*self.more)

    @property
    def begun(self) -> float:
        """The second at which the program began, having imported TensorFlow; 0 before."""
        return next((at for at, line in self.lines if line == "BEGIN"), 0.0)

    def steps(self) -> list[tuple[float, int]]:
        """Returns seconds and the number of each step that it printed."""
        found = [(at, line.split()) for at, line in self.lines]
        return [(at, int(words[1])) for at, words in found if words[:1] == ["STEP"] and words[1:]]

    def _note(self, what: str) -> None:
        self.lines.append((self._cluster.now(), f"--- {what}"))

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.lines.append((self._cluster.now(), line.rstrip()))


class FaultyCluster:
    """The tasks of a program, on a host each."""

    def __init__(
        self, python: str, script: Path, jobs: str, arguments: Sequence[str], model_dir: Path
    ) -> None:
        """Makes the hosts, and starts nothing yet.

        Args:
            python: the interpreter.
            script: the program.
            jobs: as ``--cluster`` takes them.
            arguments: of the program, with placeholders.
            model_dir: replaces ``{out}``.
        """
        cluster = Cluster.parse(jobs)
        self._begin = time.monotonic()
        self._command = [python, str(script)]
        self._arguments = arguments
        self._model_dir = model_dir
        self.tf_config: str | None = None  # of all tasks, in the place of the right ones
        self.hosts = Hosts(len(cluster.tasks), Network())
        self.addresses = addresses_on(self.hosts, cluster)
        self.tasks = {
            task.name: WatchedTask(self, task, number) for number, task in enumerate(cluster.tasks)
        }

    def now(self) -> float:
        """Returns the seconds since this was made."""
        return time.monotonic() - self._begin

    @property
    def takes_flags(self) -> bool:
        """Whether the program has its place in the cluster from flags, not from TF_CONFIG."""
        return any("{task_index}" in argument for argument in self._arguments)

    def number(self, name: str) -> int:
        """Returns the number of a task's host."""
        return list(self.tasks).index(name)

    def address(self, name: str) -> str:
        """Returns the address of a task."""
        task = self.tasks[name].task
        return self.addresses[task.job][task.index]

    def command(
        self, task: Task, number: int, more: Sequence[str]
    ) -> tuple[list[str], dict[str, str], tuple[int, ...]]:
        """Returns the command, environment and descriptors that start a task."""
        arguments = arguments_of(task, self._arguments, self.addresses, str(self._model_dir))
        whole = self.hosts.command(number, [*self._command, *arguments, *more])
        described = {"cluster": self.addresses, "task": {"type": task.job, "index": task.index}}
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("TF")},
            "TF_CONFIG": json.dumps(described) if self.tf_config is None else self.tf_config,
            "CUDA_VISIBLE_DEVICES": "-1",
            "TFMIGRATE_CHECKPOINT_ON_SIGTERM": "1",  # which originals know nothing of
            "PYTHONUNBUFFERED": "1",
        }
        return whole, environment, self.hosts.descriptors(number)

    def training(self) -> list[WatchedTask]:
        """Returns the tasks that train."""
        return [each for each in self.tasks.values() if each.task.trains]

    def step(self) -> int:
        """Returns the last step that was printed."""
        return max((step for each in self.training() for _, step in each.steps()), default=0)

    def begun(self) -> float:
        """Returns the second at which a task last was started, or its program began."""
        marks = ("--- started", "BEGIN")
        lines = [line for each in self.tasks.values() for line in each.lines]
        return max((at for at, line in lines if line in marks), default=0.0)

    def is_done(self) -> bool:
        """Returns whether all that train have ended without an error."""
        return all(each.code == 0 for each in self.training())

    def close(self) -> None:
        """Kills all tasks, and takes the hosts down."""
        for each in self.tasks.values():
            each.kill()
        self.hosts.close()
