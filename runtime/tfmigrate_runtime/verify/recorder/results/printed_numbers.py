"""The numbers that a program prints.

A loop in eager code computes its evaluations from tensors that no session returns and no metric
holds; what it prints of them is what an original with sessions prints, too.

Recorded is what ``print`` writes to stdout where the program itself calls it in its main thread:

* ``meta["printed"]``: ``[steps made before, line with # for each number, [[number, unit of its last
  place], ...]]`` of the first MOST_LINES lines that have numbers with a decimal point; only these
  numbers are listed.
"""

import builtins
import re
import sys
import threading
from typing import Any, Dict, List, Tuple

from ..program import scripts, wrapping

MOST_LINES = 5000
_MOST_CHARACTERS = 1000  # of a line: longer ones are arrays
_NUMBER = re.compile(r"(?<![\w.])[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?(?![\w.]*[\w])", re.IGNORECASE)


class Printed:
    """Records what a program prints."""

    def __init__(self, trace: Any) -> None:
        """Takes the trace to record to."""
        self._trace = trace
        self._lines: List[Tuple[int, str, List[Tuple[float, float]]]] = []

    def install(self) -> None:
        """Wraps ``print``."""
        wrapping.wrap(builtins, "print", self._noting)

    def _noting(self, original: Any, *values: Any, **options: Any) -> None:
        texts = [str(value) for value in values]  # once: a class of the program may count it
        original(*texts, **options)
        if threading.current_thread() is not threading.main_thread():
            return
        if options.get("file") in (None, sys.stdout) and _called_by_program():
            separator = options.get("sep")
            text = (" " if separator is None else separator).join(texts)
            for line in text.splitlines():
                self._add(line)

    def _add(self, line: str) -> None:
        if len(line) > _MOST_CHARACTERS or len(self._lines) >= MOST_LINES:
            return
        numbers = [match.group() for match in _NUMBER.finditer(line)]
        decimals = [(float(n), unit_of(n)) for n in numbers if not n.lstrip("+-").isdigit()]
        if decimals:
            form = _NUMBER.sub("#", line).strip()
            self._lines.append((self._trace.step_count, form, decimals))

    def arrays(self) -> Dict[str, Any]:
        """Returns no arrays."""
        return {}

    def meta(self) -> Dict[str, Any]:
        """Returns the entries for ``meta``."""
        return {"printed": self._lines}


def unit_of(number: str) -> float:
    """Returns the unit of the last place of a number: 0.01 of 1.25, 1000 of 1.5e4."""
    mantissa, _, exponent = number.lower().partition("e")
    return float(10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])))


def _called_by_program() -> bool:
    frame: Any = sys._getframe(2)
    while frame.f_code.co_filename == wrapping.__file__:
        frame = frame.f_back
    return not scripts.is_library(str(frame.f_globals.get("__name__")).split(".")[0])
