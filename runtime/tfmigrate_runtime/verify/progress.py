"""Progress on stderr: what is being run, and on a terminal for how long, as it may take minutes."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text


class ProgressLines:
    """Writes a line before each thing that is done, and a clock below the last line.

    The clock is shown on terminals only, between ``with`` and its end.
    """

    def __init__(self, quiet: bool = False, clock: bool = True, limit: float | None = None) -> None:
        """Starts without a line.

        Args:
            quiet: write nothing.
            clock: whether to show a clock on terminals; not where programs write to them too.
            limit: how long one program may run, in seconds.
        """
        self._quiet = quiet
        self._limit = "" if limit is None else f"of at most {limit:g} s"
        self._clock = clock and not quiet
        self._console: Console | None = None
        self._progress: Progress | None = None

    def __enter__(self) -> ProgressLines:
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()
        self._console = None

    def __call__(self, line: str) -> None:
        """Writes what is done next."""
        if self._quiet:
            return
        self._stop()
        if self._console is None:
            print(line, file=sys.stderr, flush=True)
            return
        self._console.print(Text(line))
        if self._clock and self._console.is_terminal:
            self._progress = Progress(
                SpinnerColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.description}", style="dim", markup=False),
                console=self._console,
                transient=True,
            )
            self._progress.add_task(self._limit, total=None)
            self._progress.start()

    def _stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
