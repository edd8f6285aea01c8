"""``--watch``: checks again whenever a file changes."""

import time
from collections.abc import Callable, Sequence

from tfmigrate.files.discover import Exclusions, UsageError, discover, shown

_SECONDS = 0.5  # between two looks at the files


def watch(
    check: Callable[[], object],
    paths: Sequence[str],
    exclusions: Sequence[Exclusions],
    say: Callable[[str], None],
) -> int:
    """Checks the files, and again after each change, until Ctrl-C.

    Args:
        check: Checks them and prints what it finds.
        paths: The files and folders.
        exclusions: What not to look at.
        say: Prints a line.

    Returns:
        0: Ctrl-C is how it ends, whatever the last check found.

    Raises:
        UsageError: A path cannot be used.
    """
    try:
        while True:
            before = _state(paths, exclusions)
            check()
            say("watching for changes; Ctrl-C ends")
            while _later_state(paths, exclusions) in (before, None):
                time.sleep(_SECONDS)
            say("")
    except KeyboardInterrupt:
        return 0


def _later_state(
    paths: Sequence[str], exclusions: Sequence[Exclusions]
) -> dict[str, tuple[int, int]] | None:
    """Returns the state; None while a path is missing, as it is while an editor replaces it."""
    try:
        return _state(paths, exclusions)
    except UsageError:
        return None


def _state(paths: Sequence[str], exclusions: Sequence[Exclusions]) -> dict[str, tuple[int, int]]:
    """Returns the size and the time of change of every file."""
    discovery = discover(paths, (), exclusions)
    states = {}
    for path in [*(candidate.path for candidate in discovery.candidates), *discovery.others]:
        try:
            status = path.stat()
        except OSError:  # deleted since it was found
            continue
        states[shown(path)] = (status.st_size, status.st_mtime_ns)
    return states
