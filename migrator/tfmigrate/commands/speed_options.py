"""The options for speed and progress: processes and cache."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from tfmigrate.engine.run import Driving
    from tfmigrate.files.workers import Progress


def add_speed_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options to a parser, as a separate group."""
    group = parser.add_argument_group("speed")
    group.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_count,
        help="Use N processes (default: one per core if there are many files, one process if not).",
    )
    group.add_argument(
        "--cache-dir",
        metavar="DIR",
        help="The folder where --check caches its results for unchanged files (default: "
        ".tfmigrate_cache).",
    )
    group.add_argument("--no-cache", action="store_true", help="Do not use the cache.")


def driving(options: argparse.Namespace, stream: TextIO) -> Driving:
    """Returns how a run is to be driven.

    Args:
        options: what was given: those of ``add_speed_options``, with ``check`` and ``quiet``.
        stream: where progress is shown, if that is a terminal.
    """
    from pathlib import Path

    from tfmigrate.engine.cache import FOLDER
    from tfmigrate.engine.run import Driving

    folder = options.cache_dir or (FOLDER if options.check else None)
    shows = stream.isatty() and not options.quiet
    return Driving(
        jobs=options.jobs,
        cache=None if options.no_cache or folder is None else Path(folder),
        progress=_progress(stream) if shows else None,
    )


def _progress(stream: TextIO) -> Callable[[str], Progress]:
    from tfmigrate.report.progress import Bar

    return lambda what: Bar(stream, what)


def _count(text: str) -> int:
    """Returns a number of processes.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a number of processes, at least 1, not {text!r}")
    return int(text)
