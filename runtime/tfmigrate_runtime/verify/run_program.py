"""Running a program under the recorder, in a process group of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfmigrate_runtime.verify import record_sessions
from tfmigrate_runtime.verify.failed_output import last_words_in
from tfmigrate_runtime.verify.fresh_folder import FolderTooLargeError, fresh_folder
from tfmigrate_runtime.verify.limits import RUN_VARIABLE, Limits, Watch, end

REFERENCE_VARIABLE = "TFMIGRATE_REFERENCE_PYTHON"  # names an interpreter with TensorFlow 1.x
_TERMINATING = (signal.SIGTERM, signal.SIGHUP)


class ProgramFailed(Exception):  # noqa: N818 - it is the program that failed, not verify
    """A program could not be run to its end."""


@dataclass(frozen=True)
class Program:
    """A program to run.

    Attributes:
        script: its file.
        arguments: its arguments; ``{out}`` in them stands for a fresh folder.
        python: the interpreter.
        replicas: the number of towers or replicas, None to leave the devices alone.
        devices: what they run on instead of CPUs ("gpu:2"), as ``record_gpus.chosen`` takes it.
        every: steps between records of variables.
        legacy: whether it is given TensorFlow 1.x by tfmigrate_runtime.legacy.
        checkpoint: where to write a checkpoint of its first step, None to keep none.
        restore: a checkpoint, or a trace that tells of one, to be restored before it trains.
        only_restores: whether it ends then.
        module: its name as a module, where ``python -m`` starts it; empty where it is a script.
        in_fresh_folder: whether it is run in a fresh folder that looks like the current one.
        threads: for the sums inside of an op, None for as many as it has.
    """

    script: Path
    arguments: Sequence[str]
    python: str = sys.executable
    replicas: int | None = None
    every: int = 1
    legacy: bool = False
    devices: str | None = None
    checkpoint: Path | None = None
    restore: Path | None = None
    only_restores: bool = False
    module: str = ""
    in_fresh_folder: bool = False
    threads: int | None = None

    def command(self, trace: Path, out: str, initial_values: Path | None) -> list[str]:
        """Returns the command that records it."""
        recorder = str(Path(record_sessions.__file__).resolve())
        command = [interpreter(self.python), recorder, "--out", str(trace.resolve())]
        if self.devices is not None:
            command += ["--devices", self.devices]
        elif self.replicas is not None:
            command += ["--replicas", str(self.replicas)]
        command += ["--every", str(self.every)]
        if self.legacy:
            command += ["--legacy"]
        if self.threads is not None:
            command += ["--threads", str(self.threads)]
        if initial_values is not None:
            command += ["--initial-values", str(initial_values.resolve())]
        if self.checkpoint is not None:
            command += ["--checkpoint", str(self.checkpoint.resolve())]
        if self.restore is not None:
            command += ["--restore", str(self.restore.resolve())]
        if self.only_restores:
            command += ["--stop-after-restore"]
        if self.module:
            command += ["--module", self.module]
        script = str(self.script.resolve() if self.in_fresh_folder else self.script)
        return [*command, "--scratch", out, script, "--", *self.arguments]

    def shown(self) -> str:
        """Returns the command as a person would write it."""
        started = [*started_by(self.legacy), *what_starts(self.script, self.module)]
        return " ".join([self.python, *started, *self.arguments])


def interpreter(python: str) -> str:
    """Returns the path of an interpreter as it is from any folder; links are not followed."""
    return str(Path.cwd() / python) if os.sep in python else python


def what_starts(script: Path, module: str) -> list[str]:
    """Returns what names a program on its command line."""
    return ["-m", module] if module else [str(script)]


def started_by(legacy: bool) -> list[str]:
    """Returns what stands between an interpreter and a script."""
    return ["-m", "tfmigrate_runtime.legacy"] if legacy else []


def run_recorded(
    program: Program,
    trace: Path,
    limits: Limits | float,
    initial_values: Path | None = None,
    show_output: bool = False,
) -> None:
    """Runs a program and writes its trace; nothing of it is left running.

    Args:
        program: what to run.
        trace: the trace to write.
        limits: what the program may take; a number stands for seconds.
        initial_values: a trace whose initial values are taken over.
        show_output: whether the program's output is passed on.

    Raises:
        ProgramFailed: it failed, never trained, or took too much; the text has the end of its
            output.
    """
    with (
        ending_when_terminated(),
        tempfile.TemporaryDirectory(prefix="tfmigrate-verify-") as folder,
    ):
        log = Path(folder) / "output.txt"
        watch = Watch(limits if isinstance(limits, Limits) else Limits(limits), Path(folder))
        command = program.command(trace, str(Path(folder) / "out"), initial_values)
        with log.open("wb") as stream:
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=None if show_output else stream,
                    stderr=None if show_output else subprocess.STDOUT,
                    env=environment(Path(folder)),
                    cwd=place_to_run(program.in_fresh_folder, Path(folder)),
                    start_new_session=True,
                )
            except OSError as error:
                raise ProgramFailed(f"cannot run {program.python}: {error.strerror}") from error
            try:
                exceeded = watch.wait(process)
            finally:
                end(process, folder=Path(folder))
        refuse_children(program.shown(), trace)
        if exceeded is None and process.returncode == 0 and trace.exists():
            return
        reason = f"{exceeded} and was ended"
        if exceeded is None:
            reason = f"ended with exit code {process.returncode}"
        tail = last_words_in(log)
        raise ProgramFailed(f"{program.shown()} {reason}{tail}")


def refuse_children(program: str, trace: Path) -> None:
    """Refuses a program of which another process than the recorded one has trained.

    Args:
        program: how it was started.
        trace: the trace that it was to write.

    Raises:
        ProgramFailed: one has.
    """
    note = trace.resolve().with_name(f"{trace.name}.trained-in")
    if not note.exists():
        return
    where = note.read_text("utf-8", "replace")
    note.unlink()
    raise ProgramFailed(
        f"{program} trains in another process, which is not recorded ({where}): give the program "
        "that this process runs, or let it train in the process that is started"
    )


def place_to_run(is_fresh: bool, folder: Path) -> Path | None:
    """Returns the folder that programs are run in, made below another one; None for the current.

    Raises:
        ProgramFailed: the current folder cannot be that of a program.
    """
    if not is_fresh:
        return None
    try:
        return fresh_folder(Path.cwd(), folder / "here" / Path.cwd().name)
    except FolderTooLargeError as error:
        raise ProgramFailed(str(error)) from error


def environment(folder: Path | None = None) -> dict[str, str]:
    """Returns the environment variables that programs run with.

    Args:
        folder: where their temporary files shall be (an Estimator without model_dir makes some);
            None to leave them where they are.
    """
    temporary = {}
    if folder is not None:
        temporary["TMPDIR"] = str(folder / "tmp")
        temporary[RUN_VARIABLE] = str(folder)
        (folder / "tmp").mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name != "TF2_BEHAVIOR"}
    return {
        **kept,  # TensorFlow 2 sets TF2_BEHAVIOR where it was imported; 1.15 would obey it
        **temporary,
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
        "TF_CPP_MIN_LOG_LEVEL": os.environ.get("TF_CPP_MIN_LOG_LEVEL", "3"),
        # oneDNN and TF32 round otherwise than the reference does.
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "NVIDIA_TF32_OVERRIDE": "0",
    }


@contextlib.contextmanager
def ending_when_terminated() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP raise SystemExit, so that what was started is ended as well.

    Programs run in process groups of their own, which the signals do not reach.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are not this thread's
        return

    def leave(number: int, frame: object) -> None:
        del frame
        sys.exit(128 + number)

    # What was ignored before (nohup) stays ignored.
    numbers = [n for n in _TERMINATING if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
