"""Limits of time, memory and disk for programs, and how programs that exceed them are killed.

A program is a session of processes (``start_new_session``). Processes that left the session but
still descend from it are counted and killed as well. So are daemons, which no longer descend from
it: they are found by their environment.
"""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

RUN_VARIABLE = "TFMIGRATE_RUN"  # of the environment: the temporary folder of a run
# Signals at which this process can still kill its programs.
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GIB = 2**30
_LOOK_SECONDS = 1.0
_POLL_SECONDS = 0.05
_SECONDS_TO_SAY = 0.5
# The default limit, as a share of the memory and disk that are free at the start.
_SHARE = 0.9
_SMALL_SHARE = 0.25  # of the free memory that a program may use which waits


@dataclass(frozen=True)
class Limits:
    """The limits of a program.

    Attributes:
        seconds: from its start to its end.
        memory: bytes of resident memory, all its processes together; None for most of what is free.
        disk: bytes below its temporary folder; None for most of what is free.
    """

    seconds: float
    memory: int | None = None
    disk: int | None = None


def let_say_where(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Lets programs that are to be killed write the line that they run (``program/ends.py``)."""
    if not hasattr(signal, "SIGUSR2"):
        return
    for process in processes:
        with contextlib.suppress(OSError):
            if _is_recorder(process):
                process.send_signal(signal.SIGUSR2)
    time.sleep(_SECONDS_TO_SAY)


def _is_recorder(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process handles the signal, which would kill any other."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return False
    caught = next((line for line in status.splitlines() if line.startswith("SigCgt:")), "SigCgt: 0")
    return bool(int(caught.split()[1], 16) >> (signal.SIGUSR2 - 1) & 1)


def gib(number: float) -> int:
    """Returns GiB as bytes."""
    return int(number * _GIB)


class Watch:
    """Watches the time, memory and disk of programs, from now on."""

    def __init__(self, limits: Limits, folder: Path) -> None:
        """Begins to watch.

        Args:
            limits: of all of them together.
            folder: where their temporary files are.
        """
        self._seconds = limits.seconds
        self._folder = folder
        self._end = time.monotonic() + limits.seconds
        self._next_look = time.monotonic() + _LOOK_SECONDS
        free = psutil.virtual_memory().available, psutil.disk_usage(str(folder)).free
        self._memory = limits.memory or int(_SHARE * free[0])
        self._disk = limits.disk or int(_SHARE * free[1])

    def exceeded(self, processes: Sequence[subprocess.Popen[bytes]]) -> str | None:
        """Returns the limit that is exceeded, as "was still running after 60 s"; None for none."""
        if (now := time.monotonic()) > self._end:
            return f"was still running after {self._seconds:g} s"
        if now < self._next_look:
            return None
        self._next_look = now + _LOOK_SECONDS
        if (memory := sum(_resident(member) for member in members(processes))) > self._memory:
            return (
                f"used {memory / _GIB:.3g} GiB of memory (--memory-limit {self._memory / _GIB:.3g})"
            )
        if (disk := _bytes_below(self._folder)) > self._disk:
            return f"wrote {disk / _GIB:.3g} GiB of files (--disk-limit {self._disk / _GIB:.3g})"
        return None

    def wait(self, process: subprocess.Popen[bytes]) -> str | None:
        """Waits for a program; returns the limit that it exceeded, None if it ended itself."""
        while process.poll() is None:
            if (reason := self.exceeded([process])) is not None:
                return reason
            time.sleep(_POLL_SECONDS)
        return None


def is_small(processes: Sequence[subprocess.Popen[bytes]]) -> bool:
    """Whether programs may wait while another one runs: they use little of the free memory."""
    used = sum(_resident(member) for member in members(processes))
    return used < _SMALL_SHARE * psutil.virtual_memory().available


def members(processes: Sequence[subprocess.Popen[bytes]]) -> list[psutil.Process]:
    """Returns all processes of programs: their sessions and all descendants."""
    sessions = {process.pid for process in processes}
    by_pid: dict[int, psutil.Process] = {}
    for process in psutil.process_iter():
        with contextlib.suppress(ProcessLookupError, psutil.NoSuchProcess, PermissionError):
            if os.getsid(process.pid) in sessions:
                by_pid[process.pid] = process
    for member in list(by_pid.values()):
        with contextlib.suppress(psutil.NoSuchProcess):
            by_pid.update({child.pid: child for child in member.children(recursive=True)})
    return list(by_pid.values())


def end(*processes: subprocess.Popen[bytes], folder: Path | None = None) -> None:
    """Kills programs and all processes that they have started.

    Args:
        processes: the programs.
        folder: the value of RUN_VARIABLE in their environments, and in those of daemons.
    """
    with undisturbed():
        left = members(processes) + (detached(folder) if folder else [])
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for member in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()  # psutil makes sure that it is the same process still
        for process in processes:
            _reap(process)


def _reap(process: subprocess.Popen[bytes]) -> None:
    """Waits for a program without the lock of ``Popen.wait``.

    A signal between CPython's ``acquire`` and the ``try`` below it leaves that lock held: a cluster
    whose launcher was terminated while it polled its tasks waited here forever.
    """
    if process.returncode is None:
        with contextlib.suppress(ChildProcessError):
            _, status = os.waitpid(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)


def detached(folder: Path) -> list[psutil.Process]:
    """Returns processes that have left the session of their program, by their environment."""
    processes = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(RUN_VARIABLE) == str(folder):
                processes.append(process)
    return processes


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Defers signals that end this process: a second Ctrl-C must not leave anything running."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are not this thread's
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    handled = [number for number, handler in before.items() if callable(handler)]
    for number in handled:
        signal.signal(number, lambda caught, _: came.append(caught))
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, before[number])
        for caught in came[:1]:
            signal.raise_signal(caught)


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def _bytes_below(folder: Path) -> int:
    total = 0
    for place, _folders, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(FileNotFoundError):
                total += Path(place, name).lstat().st_blocks * 512
    return total
