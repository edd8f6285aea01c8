"""Verify says what it executes before it does, and leaves nothing when it is interrupted.

A script stands in for an interpreter with TensorFlow: it starts a process that leaves its group,
makes a temporary file, and waits for ever.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tfmigrate_runtime.verify.running.limits import end, undisturbed

_STAND_IN = """
import os, sys, tempfile, time
from pathlib import Path
notes = Path({notes!r})
said = (notes / "stderr").read_text()
tempfile.mkdtemp()
child = os.fork()
if child == 0:
    os.setsid()
(notes / f"new-{{os.getpid()}}").write_text(said)
(notes / f"new-{{os.getpid()}}").rename(notes / f"started-{{os.getpid()}}")
time.sleep(600)
"""
# Far more than it takes; only a test that fails waits that long.
_SECONDS = 60.0


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Lets SIGINT and SIGHUP end: a shell that starts tests in the background has them ignored."""
    interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)
    hang_up = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGHUP, hang_up)


class Verifying:
    """``tfmigrate verify`` while it waits for the processes of its original."""

    def __init__(self, folder: Path, options: list[str], processes: int) -> None:
        self.folder = folder
        self._write_programs()
        (folder / "tmp").mkdir()
        command = [sys.executable, "-m", "tfmigrate", "verify", "old.py", "new.py"]
        command += ["--reference-python", str(folder / "python"), *options, "--", "--flag"]
        with (folder / "stderr").open("wb") as stream:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                stderr=stream,
                env={**os.environ, "TMPDIR": str(folder / "tmp")},
                start_new_session=True,
            )
        self._until(lambda: len(self.started()) == processes)

    def _write_programs(self) -> None:
        for name in ("old.py", "new.py"):
            (self.folder / name).write_text("")
        program = self.folder / "stand_in.py"
        program.write_text(_STAND_IN.format(notes=str(self.folder)))
        python = self.folder / "python"
        run = f"exec {os.path.realpath(sys.executable)} -S {program}"
        # With -c verify asks for the version of an interpreter.
        python.write_text(f'#!/bin/sh\n[ "$1" = -c ] && exit 1\n{run}\n')
        python.chmod(0o755)

    def started(self) -> list[int]:
        """Returns the ids of the programs' processes."""
        return [int(path.name.partition("-")[2]) for path in self.folder.glob("started-*")]

    def assert_all_is_gone(self) -> None:
        """Waits until no process of the programs runs; their temporary files are away."""
        self._until(lambda: not any(runs(process) for process in self.started()))
        assert list((self.folder / "tmp").iterdir()) == []

    def _until(self, holds) -> None:
        deadline = time.monotonic() + _SECONDS
        while not holds():
            assert time.monotonic() < deadline, (self.folder / "stderr").read_text()
            time.sleep(0.05)


def runs(process: int) -> bool:
    try:
        return bool(psutil.Process(process).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@pytest.fixture(params=[([], 2), (["--cluster", "ps=1,worker=2"], 6)], ids=["one", "cluster"])
def verifying(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Verifying]:
    options, processes = request.param
    running = Verifying(tmp_path, options, processes)
    yield running
    end(running.process)
    for process in running.started():
        if runs(process):
            os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_nothing_is_left_after(verifying: Verifying, number: int, code: int) -> None:
    os.kill(verifying.process.pid, number)
    assert verifying.process.wait(_SECONDS) == code
    verifying.assert_all_is_gone()


def test_what_is_executed_is_said_before_and_has_a_group_of_its_own(verifying: Verifying) -> None:
    for process in verifying.started():
        said = (verifying.folder / f"started-{process}").read_text()
        assert f"running {verifying.folder / 'python'} old.py --flag" in said
        # What ends a terminal's foreground group does not end it in the middle of a file.
        assert os.getpgid(process) != os.getpgid(verifying.process.pid)


def test_a_second_interrupt_waits_until_all_is_ended() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), undisturbed():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)  # the handler runs between two instructions
        done.append("ended")
    assert done == ["ended"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
