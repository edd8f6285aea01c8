"""Shared parts of the parsers of all commands. ``--help`` loads it, so it imports only argparse."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NoReturn, TextIO

if TYPE_CHECKING:
    from tfmigrate.report.terminal import Printer

OK, LEFT, FAILED, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141

COMMANDS = ("verify", "checkpoint", "doctor", "explain", "rules", "completion")
"""The words that are commands as the first argument; each is a module of this package."""


class Parser(argparse.ArgumentParser):
    """A parser whose usage errors are two lines: the usage and the error."""

    def error(self, message: str) -> NoReturn:
        """Exits with 2 after the usage and one line."""
        usage = self.format_usage().splitlines()[0]
        self.exit(FAILED, f"{usage}\n{self.prog}: error: {message}\n")


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
    """Prints one line to stderr."""
    print(f"tfmigrate: {message}", file=sys.stderr)
