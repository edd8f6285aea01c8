"""The hidden files that a run writes next to the files it changes, and those of killed runs."""

import contextlib
import os
import re
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    CAN_LOCK = False
else:
    CAN_LOCK = True

PREFIX = ".tfmigrate-"
_NAME = re.compile(re.escape(PREFIX) + r"[a-z0-9_]{8}(?:\.tmp|\.(?P<of>.+)\.old)")
_OLD_SECONDS = 3600  # where files cannot be locked, those of running programs are younger


def temporary_file(folder: Path, suffix: str) -> tuple[BinaryIO, Path]:
    """Creates a file that other runs do not touch while it is open.

    Raises:
        OSError: it cannot be made.
    """
    while True:
        descriptor, name = tempfile.mkstemp(prefix=PREFIX, suffix=suffix, dir=folder)
        stream = os.fdopen(descriptor, "wb")
        if CAN_LOCK:
            with contextlib.suppress(OSError):  # some file systems know no locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if not os.path.exists(name):  # noqa: PTH110 - another run took it for a leftover
                stream.close()
                continue
        return stream, Path(name)


def clean_up(paths: Iterable[Path]) -> list[str]:
    """Removes the files of killed runs.

    Returns:
        One line for each file that may hold half of its new text, with the copy of its old text,
        which is not removed then.
    """
    notes = []
    for path in paths:
        if (match := _NAME.fullmatch(path.name)) is None:
            continue
        with contextlib.suppress(OSError):  # it was deleted, or is not ours
            if note := _cleaned(path, match["of"]):
                notes.append(note)
    return notes


def _cleaned(path: Path, of: str | None) -> str:
    with path.open("rb") as stream:
        status = os.fstat(stream.fileno())
        if path.is_symlink() or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
            return ""
        if CAN_LOCK:
            # A process that is still running holds the lock.
            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif time.time() - status.st_mtime < _OLD_SECONDS:
            return ""
        if of is not None and path.with_name(of).read_bytes() != stream.read():
            return (
                f"{path.with_name(of)}: tfmigrate was killed while it wrote this file; "
                f"{path.name} has the old text; compare the two, then delete {path.name}"
            )
        if CAN_LOCK:
            path.unlink()
    if not CAN_LOCK:
        path.unlink()
    return ""
