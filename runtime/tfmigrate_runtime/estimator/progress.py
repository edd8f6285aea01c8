"""A line on the terminal that says how far training is, where rich is installed to draw it."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow.compat.v1 as tf

if TYPE_CHECKING:
    from rich.console import Console

_SECONDS_BETWEEN_UPDATES = 0.1


def is_shown(console: Console | None = None) -> bool:
    """Returns whether to show progress: stderr is a terminal, no file logs, rich is there."""
    if find_spec("rich") is None:
        return False
    from rich.console import Console

    handlers = [*tf.get_logger().handlers, *logging.getLogger().handlers]
    files = {h.baseFilename for h in handlers if isinstance(h, logging.FileHandler)}
    in_files = bool(files - {os.devnull})
    return (console or Console(stderr=True)).is_terminal and not in_files


class ProgressLine:
    """Shows the step, steps a second, the loss, and how long it will take."""

    def __init__(
        self, first_step: int, last_step: int | None, console: Console | None = None
    ) -> None:
        """Begins; nothing is shown before ``showing``.

        Args:
            first_step: the global step that training starts from.
            last_step: the one that it stops at, None if that is not known.
            console: where, None for the standard error stream.
        """
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._step, self._shown_at = first_step, 0.0
        self._unseen = 0  # steps since then
        self._loss: Any = None
        self._progress = Progress(
            TextColumn("Training"),
            BarColumn(),
            TextColumn("step {task.fields[step]}" + (f"/{last_step}" if last_step else "")),
            TextColumn("{task.fields[rate]}"),
            TextColumn("loss {task.fields[loss]}"),
            TimeRemainingColumn(),
            console=console or Console(stderr=True),
        )
        total = None if last_step is None else last_step - first_step
        self._task = self._progress.add_task("", total=total, step=first_step, rate="", loss="-")

    @contextmanager
    def showing(self) -> Iterator[ProgressLine]:
        """Shows the line, below what TensorFlow logs meanwhile."""
        with self._progress:
            handlers = [
                handler
                for handler in tf.get_logger().handlers
                if isinstance(handler, logging.StreamHandler)
            ]
            streams = [handler.setStream(sys.stderr) for handler in handlers]
            try:
                yield self
            finally:
                if self._loss is not None:
                    self._show(self._loss, time.monotonic())
                for handler, stream in zip(handlers, streams, strict=True):
                    if stream is not None:
                        handler.setStream(stream)

    def advance(self, steps: int, loss: Any) -> None:
        """Notes that steps were made, and the loss of the last one."""
        self._step += steps
        self._loss = loss
        now = time.monotonic()
        self._unseen += steps
        if now - self._shown_at >= _SECONDS_BETWEEN_UPDATES:
            self._show(loss, now)

    def _show(self, loss: Any, now: float) -> None:
        value = f"{float(np.ravel(loss)[0]):.6g}"
        self._progress.update(self._task, advance=self._unseen, step=self._step, loss=value)
        task = self._progress.tasks[0]
        if (speed := task.finished_speed or task.speed) is not None:
            self._progress.update(self._task, rate=f"{speed:,.0f} steps/s")
        self._shown_at, self._unseen = now, 0
