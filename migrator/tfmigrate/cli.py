"""The command line. Imports are made where they are used, so that ``--help`` is fast."""

import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from tfmigrate.commands.arguments import COMMANDS, FAILED, INTERRUPTED, PIPE_CLOSED, complain

_STATE_OF_FILES = "no file is half-written"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs tfmigrate.

    Args:
        arguments: The arguments of ``tfmigrate``; None for those of this process.

    Returns:
        The exit code: 0 nothing is left to do, 1 something would change or needs manual work, 2
        failed, 130 interrupted, 141 the output was closed.

    Raises:
        SystemExit: After ``--help``, ``--version`` and usage errors, as argparse does.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    command = words[0] if words and words[0] in COMMANDS else ""
    for stream in (sys.stdout, sys.stderr):
        _never_fail_to_print(stream)
    try:
        code = _run(command or "migrate")(words[1:] if command else words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        complain("interrupted" if command else f"interrupted: {_STATE_OF_FILES}")
        return INTERRUPTED
    except BrokenPipeError:
        # What is still buffered must not fail again when the interpreter closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:
        from tfmigrate.files.discover import UsageError  # --help has no need of it

        if isinstance(error, UsageError):
            complain(f"error: {error}")
        else:
            _internal_error(error, words)
        return FAILED


def _run(command: str) -> Callable[[list[str]], int]:
    module = importlib.import_module(f"tfmigrate.commands.{command}")
    run: Callable[[list[str]], int] = module.main
    return run


def _never_fail_to_print(stream: TextIO) -> None:
    """Escapes characters that the terminal's encoding lacks instead of failing."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def _internal_error(error: Exception, arguments: list[str]) -> None:
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--verbose" in own or "-v" in own:
        import traceback

        traceback.print_exc()
    what = " ".join(f"{type(error).__name__}: {error}".split())
    complain(f"internal error: {what}; run with --verbose for the traceback")
