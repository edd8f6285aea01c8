"""Programs that take too much are ended, and so is all that they started."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tfmigrate_runtime.verify.running.limits import Limits, Watch, end, gib, members
from tfmigrate_runtime.verify.running.run_program import Program, ProgramFailed, run_recorded

MIB = 2**20


def started(folder: Path, code: str) -> subprocess.Popen[bytes]:
    script = folder / "program.py"
    script.write_text(code)
    command = [sys.executable, "-S", str(script), str(folder)]
    return subprocess.Popen(command, start_new_session=True)


def exceeded(folder: Path, code: str, limits: Limits) -> str | None:
    process = started(folder, code)
    try:
        return Watch(limits, folder).wait(process)
    finally:
        end(process)


def test_a_program_within_its_limits(tmp_path: Path) -> None:
    limits = Limits(60, memory=gib(1), disk=gib(1))
    assert exceeded(tmp_path, "import time; time.sleep(1.5)", limits) is None


def test_time(tmp_path: Path) -> None:
    found = exceeded(tmp_path, "import time; time.sleep(600)", Limits(0.2))
    assert found == "was still running after 0.2 s"


def test_memory_of_all_its_processes(tmp_path: Path) -> None:
    # Neither of the two takes too much alone.
    code = "import os, time; os.fork(); taken = bytearray(b'x') * (120 << 20); time.sleep(600)"
    found = exceeded(tmp_path, code, Limits(60, memory=200 * MIB))
    assert found is not None and found.startswith("used 0.2") and "--memory-limit 0.195" in found


def test_files(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "open(os.path.join(sys.argv[1], 'large'), 'wb').write(b'x' * (20 << 20))\n"
        "time.sleep(600)\n"
    )
    found = exceeded(tmp_path, code, Limits(60, disk=10 * MIB))
    assert found is not None and found.startswith("wrote 0.0") and "--disk-limit" in found


def test_nothing_is_left_running(tmp_path: Path) -> None:
    """Neither children, nor those that have left the process group and the session."""
    code = (
        "import os, sys, time\n"
        "for leave in (lambda: None, os.setpgrp, os.setsid):\n"
        "    if os.fork() == 0:\n"
        "        leave()\n"
        "        open(os.path.join(sys.argv[1], str(os.getpid())), 'w')\n"
        "        time.sleep(600)\n"
        "time.sleep(600)\n"
    )
    process = started(tmp_path, code)
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("[0-9]*"))) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    children = [int(path.name) for path in tmp_path.glob("[0-9]*")]
    assert {member.pid for member in members([process])} == {process.pid, *children}
    end(process)
    while any(psutil.pid_exists(child) and is_running(child) for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_running(process: int) -> bool:
    try:
        return bool(psutil.Process(process).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_temporary_files_go_with_the_program(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import pathlib, sys, tempfile\n"
        "made = tempfile.mkdtemp()\n"
        "pathlib.Path(sys.argv[1]).write_text(made)\n"
    )
    note = tmp_path / "note"
    with pytest.raises(ProgramFailed, match="ended without a training step"):
        run_recorded(Program(script, [str(note)]), tmp_path / "trace.npz", 120.0)
    made = Path(note.read_text())
    assert made.name.startswith("tmp") and not made.exists()
    assert not made.parent.exists()


def test_a_program_is_ended_whose_lock_a_signal_left_held(tmp_path: Path) -> None:
    """CPython's Popen.poll acquires it one instruction before the ``try`` that releases it."""
    process = started(tmp_path, "import time; time.sleep(60)")
    process._waitpid_lock.acquire()  # type: ignore[attr-defined]
    end(process)
    assert process.returncode == -signal.SIGKILL
