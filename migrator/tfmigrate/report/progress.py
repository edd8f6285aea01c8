"""A progress bar for runs that take a while, on terminals."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# Shorter runs need no progress bar.
_PATIENCE_SECONDS = 0.5


class Bar:
    """Shows how many things are done, after half a second; removed when all are.

    It has no thread: it is drawn only when it is called, so that processes may be forked.
    """

    def __init__(self, stream: TextIO, what: str) -> None:
        self._stream, self._what = stream, what
        self._begun = time.monotonic()
        self._bar: tuple[Progress, TaskID] | None = None

    def __call__(self, done: int, total: int) -> None:
        """Draws how many are done of how many."""
        if self._bar is None:
            if done >= total or time.monotonic() - self._begun < _PATIENCE_SECONDS:
                return
            self._bar = self._begin(total)
        bar, task = self._bar
        bar.update(task, completed=done)
        bar.refresh()
        if done >= total:
            bar.stop()
            self._bar = None

    def _begin(self, total: int) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=Console(file=self._stream),
            auto_refresh=False,
            transient=True,
        )
        bar.start()
        return bar, bar.add_task(self._what, total=total)
