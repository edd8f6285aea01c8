"""``--watch``: checks again whenever a file changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tfmigrate.files.discover import Exclusions, discover

_SECONDS = 0.5  # between two looks at the files


def watch(
    check: Callable[[], int],
    paths: Sequence[str],
    exclusions: Sequence[Exclusions],
    say: Callable[[str], None],
) -> int:
    """Checks the files, and again after each change, until Ctrl-C.

    Args:
        check: Checks them and prints what it finds; returns an exit code.
        paths: The files and folders.
        exclusions: What not to look at.
        say: Prints a line.

    Returns:
        The exit code of the last check.

    Raises:
        UsageError: A path cannot be used.
    """
    code = 0
    try:
        while True:
            before = _state(paths, exclusions)
            code = check()
            say("watching for changes; Ctrl-C ends")
            while _state(paths, exclusions) == before:
                time.sleep(_SECONDS)
            say("")
    except KeyboardInterrupt:
        return code


def _state(paths: Sequence[str], exclusions: Sequence[Exclusions]) -> dict[str, tuple[int, int]]:
    """Returns the size and the time of change of every file."""
    found = {}
    for candidate in discover(paths, (), exclusions).candidates:
        try:
            status = candidate.path.stat()
        except OSError:  # deleted since it was found
            continue
        found[candidate.display] = (status.st_size, status.st_mtime_ns)
    return found
