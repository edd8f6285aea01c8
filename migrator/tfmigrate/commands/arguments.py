"""Shared parts of the parsers of all commands. ``--help`` loads it, so it imports only argparse."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

if TYPE_CHECKING:
    from tfmigrate.report.terminal import Printer

_UNKNOWN = "unrecognized arguments: "  # as argparse begins its message
_SIMILAR = 0.7  # with less, --bogus is taken for --verbose

OK, LEFT, FAILED, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141

COMMANDS = ("verify", "checkpoint", "doctor", "explain", "rules", "mcp", "completion")
"""The words that are commands as the first argument; each is a module of this package."""


class Parser(argparse.ArgumentParser):
    """A parser whose usage errors are two lines: the usage and the error."""

    def error(self, message: str) -> NoReturn:
        """Exits with 2 after the usage and one line, which names the closest option or value."""
        usage = self.format_usage().splitlines()[0]
        self.exit(FAILED, f"{usage}\n{self.prog}: error: {message}{self._hint(message)}\n")

    def _hint(self, message: str) -> str:
        """Returns what an unknown option may be: a path after ``--``, or the closest option."""
        words = message.removeprefix(_UNKNOWN).split() if message.startswith(_UNKNOWN) else []
        paths = [word for word in words if word.startswith("-") and os.path.exists(word)]  # noqa: PTH110
        if paths:
            return f"; did you mean -- {paths[0]}?"
        unknown = [word.partition("=")[0] for word in words if word.startswith("-")]
        return _closest(unknown[0], list(self._option_string_actions)) if unknown else ""

    def _check_value(self, action: argparse.Action, value: str) -> None:
        """Rejects a value that an option does not have, and names the closest one.

        Raises:
            argparse.ArgumentError: It is none of the option's choices.
        """
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += _closest(str(value), [str(choice) for choice in action.choices or ()])
            raise


def _closest(word: str, known: Sequence[str]) -> str:
    """Returns the end of a message that names the known word closest to an unknown one."""
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1, cutoff=_SIMILAR)
    return f"; did you mean {close[0]}?" if close else ""


def add_format(target: argparse._ActionsContainer) -> None:
    """Adds ``--format`` to a command that prints text or JSON."""
    target.add_argument(
        "--format", choices=("text", "json"), default="text", help="The output format."
    )


def add_color(target: argparse._ActionsContainer) -> None:
    """Adds ``--color``."""
    target.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        metavar="WHEN",
        help="When to use color: auto (the default: on terminals, unless NO_COLOR is set), always "
        "or never.",
    )


def printer_to(stream: TextIO, color: str) -> Printer:
    """Returns a printer to a stream, coloured as ``--color`` says."""
    from tfmigrate.report.terminal import Printer, wants_colour

    return Printer(stream, wants_colour(stream, color))


def complain(message: str) -> None:
    """Prints one line to stderr; what names of files do to a terminal is escaped."""
    from tfmigrate.report.terminal import printable

    print(f"tfmigrate: {printable(message)}", file=sys.stderr)
