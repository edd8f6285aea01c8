"""The environment of programs: variables, folder, and how they are ended."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from tfmigrate_runtime.verify.running.fresh_folder import FolderTooLargeError, fresh_folder
from tfmigrate_runtime.verify.running.limits import RUN_VARIABLE
from tfmigrate_runtime.verify.shared import REFUSED

_TERMINATING = (signal.SIGTERM, signal.SIGHUP)


class ProgramFailed(Exception):  # noqa: N818 - the program failed, not verify
    """A program could not be run to its end.

    Attributes:
        cause: a code of ``causes.CAUSES``.
    """

    def __init__(self, message: str, cause: str = "program-failed") -> None:
        """Takes the message, and what is known of the cause."""
        super().__init__(message)
        self.cause = cause


def place_to_run(is_fresh: bool, folder: Path) -> Path | None:
    """Returns the folder that programs are run in, made below another one; None for the current.

    Raises:
        ProgramFailed: the current folder is too large for that.
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
    inherited = {name: value for name, value in os.environ.items() if name != "TF2_BEHAVIOR"}
    return {
        **inherited,  # TensorFlow 2 sets TF2_BEHAVIOR where it was imported; 1.15 would obey it
        **temporary,
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
        "TF_CPP_MIN_LOG_LEVEL": os.environ.get("TF_CPP_MIN_LOG_LEVEL", "3"),
        # oneDNN and TF32 round differently from the reference.
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "NVIDIA_TF32_OVERRIDE": "0",
    }


@contextlib.contextmanager
def ending_when_terminated() -> Iterator[None]:
    """Makes SIGTERM and SIGHUP raise SystemExit, so that programs are killed as well.

    Programs run in their own process groups, which the signals do not reach.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are not this thread's
        return

    def leave(number: int, frame: object) -> None:
        sys.exit(128 + number)

    # Signals that were ignored before (nohup) stay ignored.
    numbers = [n for n in _TERMINATING if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def refuse_variables(trace: Path) -> None:
    """Refuses a Keras program whose variables cannot be compared with the original's.

    Args:
        trace: the trace that it should have written.

    Raises:
        ProgramFailed: they cannot.
    """
    note = trace.resolve().with_name(f"{trace.name}{REFUSED}")
    if note.exists():
        reason = note.read_text("utf-8", "replace")
        note.unlink()
        raise ProgramFailed(reason)


def refuse_children(program: str, trace: Path) -> None:
    """Refuses a program that trained in a child process, which is not recorded.

    Args:
        program: how it was started.
        trace: the trace that it should have written.

    Raises:
        ProgramFailed: it did.
    """
    note = trace.resolve().with_name(f"{trace.name}.trained-in")
    if not note.exists():
        return
    where = note.read_text("utf-8", "replace")
    note.unlink()
    raise ProgramFailed(
        f"{program} trains in a child process ({where}), which verify cannot record. Verify the "
        "program that this process runs, or train in the main process"
    )
