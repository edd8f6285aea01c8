"""The faults: what happens to which task, and by what its cluster can be seen to notice it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from task import FaultyCluster

from tfmigrate_runtime.verify.running.cluster import PORT, Task

_STEP_OF_FAULT = 120
_SECONDS_TO_STEP = 400.0
_SECONDS_DOWN = 10.0
_SECONDS_LATE = 60.0
_SECONDS_CUT = 30.0
_SECONDS_FULL = 20.0
_SECONDS_TO_END = 90.0  # after the last step
_SECONDS_OF_HANG = 150.0  # without a step: more than any recovery took
_SECONDS_ALONE = 300.0  # of a task that should not start, on a busy machine
_INDEX_OF_NONE = 7  # which no task of the clusters has
_POLL = 0.05
_SAID_OF_FOLDER = r"[Rr]ead-only"
_SAID_OF_DISK = r"[Nn]o space left|RESOURCE_EXHAUSTED|ResourceExhausted|disk"
_SAID_OF_MODEL = r"another version|not initialized|[Uu]ninitialized|not found in ch"


class NotPossibleError(Exception):
    """A scenario cannot be run here, or does not exist for this program."""


@dataclass
class Run:
    """A scenario that is under way.

    Attributes:
        cluster: its tasks.
        roles: the name of the task that is the chief, a worker, a parameter server.
        folder: the model_dir.
        steps: of the training.
        missing: the name of the task that the fault is about.
        pattern: what a line says that tells of the fault.
        at: the second of the fault.
        before: the last step then.
        checkpoint: the step of the last checkpoint then.
        absent: tasks that are not started at first.
        trained_at: the second at which the last step was seen, None before.
        ended: whether nothing more is waited for.
    """

    cluster: FaultyCluster
    roles: dict[str, str]
    folder: Path
    steps: int
    missing: str = ""
    pattern: str = ""
    at: float = 0.0
    before: int = 0
    checkpoint: int = 0
    absent: set[str] = field(default_factory=set)
    trained_at: float | None = None
    ended: bool = False

    def name(self, role: str) -> str:
        """Returns the task of a role."""
        if role not in self.roles:
            raise NotPossibleError(f"there is no {role}")
        return self.roles[role]

    def begins(self, role: str, pattern: str | None = None) -> str:
        """Notes that the fault begins now; returns the name of its task."""
        name = self.name(role)
        job, index = name.split("/")
        address = re.escape(self.cluster.address(name))
        said = rf"job:{job}/(replica:0/)?task:{index}\b|\b{job}[ /]{index}\b|{address}"
        self.missing, self.pattern, self.at = name, pattern or said, self.cluster.now()
        self.before, self.checkpoint = self.cluster.step(), checkpoint_step(self.folder)
        return name

    def start_all(self) -> None:
        """Starts every task, parameter servers first, but those that are absent."""
        for name, task in self.cluster.tasks.items():
            if name not in self.absent:
                task.start()

    def wait(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Waits, and starts tasks that ended with an error again; says whether it came true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for task in self.cluster.tasks.values():
                task.restart_after_error()
            if until():
                return True
            time.sleep(_POLL)
        return False

    def is_trained(self) -> bool:
        """Returns whether the last step was made."""
        return self.cluster.step() >= self.steps - 1

    def is_over(self) -> bool:
        """Returns whether all that train have ended or had time to do so, or none makes steps."""
        if self.ended:
            return True
        last = max([at for task in self.cluster.training() for at, _ in task.steps()], default=0.0)
        if self.cluster.now() - max(last, self.at, self.cluster.begun()) > _SECONDS_OF_HANG:
            return True
        if self.is_trained() and self.trained_at is None:
            self.trained_at = self.cluster.now()
        if self.cluster.is_done() or self.trained_at is None:
            return self.cluster.is_done()
        # A chief that was restarted makes its steps again, when the others have ended.
        return self.cluster.now() - max(self.trained_at, last) > _SECONDS_TO_END

    def train_a_while(self) -> None:
        """Waits for the step at which faults happen."""
        if not self.wait(_SECONDS_TO_STEP, lambda: self.cluster.step() >= _STEP_OF_FAULT):
            raise NotPossibleError(f"no step {_STEP_OF_FAULT} in {_SECONDS_TO_STEP:g} s")


def checkpoint_step(folder: Path) -> int:
    """Returns the step of the last checkpoint, 0 where there is none."""
    with contextlib.suppress(OSError):
        found = re.search(r'model_checkpoint_path: ".*-(\d+)"', (folder / "checkpoint").read_text())
        return int(found.group(1)) if found else 0
    return 0


def _killed(role: str, *more: str) -> Callable[[Run], None]:
    def act(run: Run) -> None:
        run.name(role)
        run.start_all()
        run.train_a_while()
        task = run.cluster.tasks[run.begins(role, _SAID_OF_MODEL if more else None)]
        task.kill()
        run.wait(_SECONDS_DOWN)
        task.start(*more)

    return act


def _late(run: Run) -> None:
    run.absent = {run.name("worker")}
    run.begins("worker")
    run.start_all()
    run.wait(_SECONDS_LATE)
    run.cluster.tasks[run.missing].start()


def _cut(role: str) -> Callable[[Run], None]:
    def act(run: Run) -> None:
        run.name(role)
        run.start_all()
        run.train_a_while()
        number = run.cluster.number(run.begins(role))
        run.cluster.hosts.cut(number)
        run.wait(_SECONDS_CUT)
        run.cluster.hosts.mend(number)

    return act


def _silent(role: str) -> Callable[[Run], None]:
    def act(run: Run) -> None:
        run.cluster.hosts.cut(run.cluster.number(run.begins(role)))
        run.start_all()

    return act


def _unknown(role: str) -> Callable[[Run], None]:
    def act(run: Run) -> None:
        job, index = run.name(role).split("/")
        run.cluster.addresses[job][int(index)] = f"train-{job}-{index}.invalid:{PORT}"
        run.begins(role)
        run.start_all()

    return act


def _misplaced(run: Run) -> None:
    task = run.cluster.tasks[run.name("worker")]
    _alone(run, replace(task.task, index=_INDEX_OF_NONE))


def _misconfigured(text: Callable[[Run], str]) -> Callable[[Run], None]:
    def act(run: Run) -> None:
        if run.cluster.takes_flags:
            raise NotPossibleError("reads no TF_CONFIG")
        run.cluster.tf_config = text(run)
        _alone(run)

    return act


def _alone(run: Run, place: Task | None = None) -> None:
    """Starts a task whose place in the cluster is wrong, and looks what becomes of it."""
    task = run.cluster.tasks[run.begins("worker", "Error: |tfmigrate_runtime: ")]
    task.task = place or task.task
    task.start()
    task.should_run = False
    run.wait(_SECONDS_ALONE, lambda: task.code is not None)
    run.ended = True


def _terminated(run: Run) -> None:
    run.start_all()
    run.train_a_while()
    run.begins("chief", "SIGTERM")
    for task in run.cluster.tasks.values():
        task.terminate()
    run.wait(_SECONDS_DOWN)
    for task in run.cluster.tasks.values():
        task.kill()
    run.start_all()


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Mounts a small disk at a folder."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotPossibleError(done.stderr.strip())
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


@contextlib.contextmanager
def _fault_of_disk(run: Run, said: str) -> Iterator[None]:
    """Trains on a small disk until the fault begins, and goes on after it."""
    with small_disk(run.folder):
        run.start_all()
        run.train_a_while()
        run.begins("chief", said)
        yield
        run.wait(SECONDS_AFTER, run.is_over)


def _full_disk(run: Run) -> None:
    with _fault_of_disk(run, _SAID_OF_DISK):
        filler = run.folder / "filler"
        with filler.open("wb", buffering=0) as stream, contextlib.suppress(OSError):
            while True:
                stream.write(os.urandom(1 << 16))
        run.wait(_SECONDS_FULL)
        filler.unlink()


def _read_only(run: Run) -> None:
    with _fault_of_disk(run, _SAID_OF_FOLDER):
        folder = str(run.folder)
        # A mount of its own: that of the disk cannot change while a file is open for writing.
        subprocess.run(["mount", "--bind", folder, folder], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        run.wait(_SECONDS_FULL)
        subprocess.run(["umount", "-l", folder], check=True)


@dataclass(frozen=True)
class Scenario:
    """A fault.

    Attributes:
        title: its row of the table.
        act: starts the tasks and does it.
        steps: of the training.
        own_words: whether the task itself says it, and not the others.
    """

    title: str
    act: Callable[[Run], None]
    steps: int = 400
    own_words: bool = False


SECONDS_AFTER = 900.0  # by then even a slow one is done
SCENARIOS = {
    "none": Scenario("no fault", lambda run: (run.start_all(), run.begins("worker"))[0]),
    "chief": Scenario("chief killed, restarted after 10 s", _killed("chief")),
    "worker": Scenario("worker killed, restarted after 10 s", _killed("worker")),
    "ps": Scenario("parameter server killed, restarted after 10 s", _killed("ps")),
    "late": Scenario("worker starts 60 s late", _late, steps=1000),
    "cut-worker": Scenario("link of a worker cut for 30 s", _cut("worker"), steps=600),
    "cut-ps": Scenario("link of the parameter server cut for 30 s", _cut("ps")),
    "silent-worker": Scenario("host of a worker never answers", _silent("worker")),
    "silent-ps": Scenario("host of the parameter server never answers", _silent("ps")),
    "disk": Scenario("disk under model_dir full for 20 s", _full_disk, own_words=True),
    "read-only": Scenario("model_dir read-only for 20 s", _read_only, own_words=True),
    "sigterm": Scenario("SIGTERM to all, restarted after 10 s", _terminated, own_words=True),
    "unknown-worker": Scenario("host name of a worker does not resolve", _unknown("worker")),
    "unknown-ps": Scenario("host name of the parameter server does not resolve", _unknown("ps")),
    "misplaced": Scenario("a worker 7 that the cluster does not have", _misplaced, own_words=True),
    "empty": Scenario("TF_CONFIG is empty", _misconfigured(lambda _: ""), own_words=True),
    "taskless": Scenario(
        "TF_CONFIG has a cluster and no task",
        _misconfigured(lambda run: json.dumps({"cluster": run.cluster.addresses})),
        own_words=True,
    ),
    "older": Scenario(
        "worker killed, restarted with an older program", _killed("worker", "--older"), 1000, True
    ),
}
