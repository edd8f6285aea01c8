"""Where a program may get what differs in every run: entropy of the system, and its own threads.

All seeds of TensorFlow, NumPy and ``random`` are pinned; generators that a program makes itself
without a seed are not, and threads run in any order. ``meta["chance"]`` has "entropy" and "threads"
where the program used them. A program that uses neither is not run again to find out whether it
repeats itself. A seed that is taken from the clock is not seen.

Private names that are touched: ``random._urandom``, which NumPy's and Python's generators without a
seed read, and ``random._inst``, the generator of the module's functions.
"""

import functools
import linecache
import os
import pathlib
import random
import re
import sys
import threading
from typing import Any, Callable, Sequence, Set

_GENERATORS = ("random", "secrets")
_QUEUES = "queue_runner_impl"  # of TensorFlow: it starts a program's threads
_HERE = str(pathlib.Path(os.path.abspath(__file__)).parents[3])
# It reads entropy before it is seeded.
_SEEDED = re.compile(r"\bRandomState\(\s*(?!None\b)[^\s)]")
_LIBRARIES = ("site-packages", "dist-packages")


class Chance:
    """Notes what the program uses of it."""

    def __init__(self) -> None:
        self.sources: Set[str] = set()

    def install(self) -> None:
        """Wraps what reads entropy, and what starts threads."""
        urandom = self._noting(os.urandom, "entropy", _GENERATORS)
        os.urandom = urandom
        random._urandom = urandom  # type: ignore[attr-defined]
        seed = random.Random.seed

        @functools.wraps(seed)
        def seeding(this: Any, a: Any = None, *arguments: Any, **options: Any) -> None:
            if a is None and not isinstance(this, random.SystemRandom):
                self._note("entropy", _GENERATORS)
            seed(this, a, *arguments, **options)

        random.Random.seed = seeding  # type: ignore[assignment]
        random.seed = functools.partial(seeding, random._inst)
        start = threading.Thread.start
        threading.Thread.start = self._noting(  # type: ignore[method-assign]
            start, "threads", ("threading", "concurrent.futures.thread")
        )

    def arrays(self) -> Any:
        """Returns no arrays for the trace."""
        return {}

    def meta(self) -> Any:
        """Returns the entry for ``meta``."""
        return {"chance": sorted(self.sources)}

    def _noting(
        self, original: Callable[..., Any], what: str, passed_over: Sequence[str]
    ) -> Callable[..., Any]:
        @functools.wraps(original)
        def call(*arguments: Any, **options: Any) -> Any:
            self._note(what, passed_over)
            return original(*arguments, **options)

        return call

    def _note(self, what: str, passed_over: Sequence[str]) -> None:
        frame: Any = sys._getframe(1)
        name, path, line = __name__, "", ""
        while frame is not None and (name == __name__ or name in passed_over):
            name = str(frame.f_globals.get("__name__"))
            path = str(frame.f_globals.get("__file__") or "")
            line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
            frame = frame.f_back
        if what == "entropy" and _SEEDED.search(line):
            return
        if name.rpartition(".")[2] == _QUEUES or _is_of_program(path):
            self.sources.add(what)


def _is_of_program(path: str) -> bool:
    """Whether a file is the program's, not one of Python, of a package or of the recorder."""
    path = os.path.abspath(path)
    libraries = (_HERE, os.path.dirname(os.path.abspath(os.__file__)))
    within = any(path.startswith(each + os.sep) for each in libraries)
    return not within and not any(os.sep + each + os.sep in path for each in _LIBRARIES)
