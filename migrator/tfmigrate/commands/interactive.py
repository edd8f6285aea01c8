"""``--interactive``: shows the diff of each file and asks whether to write it."""

import sys
from typing import TextIO

from tfmigrate.engine.outcome import Rewrite
from tfmigrate.report.terminal import Printer, printable
from tfmigrate.report.text import print_diff

_CHOICES = "y: yes, n: no, a: yes to this and all that follow, q: no to this and all that follow"


class Asker:
    """Asks file by file.

    A program is migrated whole or not at all: what depends on a file that is declined stays as it
    is, too, and is not asked about again.
    """

    def __init__(self, printer: Printer, answers: TextIO | None = None) -> None:
        """Takes where to print.

        Args:
            printer: Where diffs and questions are printed.
            answers: Where answers are read, one a line; standard input if None.
        """
        self._printer = printer
        self._answers = answers or sys.stdin
        self._always: bool | None = None

    def __call__(self, rewrite: Rewrite) -> bool:
        """Returns whether to write a file."""
        if self._always is not None:
            return self._always
        print_diff(rewrite, self._printer)
        while True:
            self._printer.ask(f"Migrate {printable(rewrite.display)}? [y,n,a,q,?] ")
            if not (line := self._answers.readline()):
                self._printer.line()
                self._printer.line("no answer: this file and all that follow stay as they are")
            answer = line.strip().lower()[:1] if line else "q"
            if answer in ("a", "q"):
                self._always = answer == "a"
            if answer in ("y", "n", "a", "q"):
                return answer in ("y", "a")
            self._printer.line(_CHOICES)
