"""Names of files and folders without what is another in every run.

That is the time (``times.py``), and what tempfile and uuid choose: the model_dir of
``tempfile.mkdtemp(dir="models", prefix="")`` was called different from that of the other program.

Private name that is touched: ``tempfile._RandomNameSequence``, which all functions of tempfile ask.
"""

import re
import tempfile
import uuid
from typing import Any, Set

from . import times, wrapping

_chosen: Set[str] = set()
_SHOWN = "<random>"
_CAP = 10000  # names that are looked for: a program may make any number of temporary files
_SHORTEST = 8  # letters: of tempfile, and of the first part of a UUID


def install() -> None:
    """Notes what tempfile and uuid choose for the program."""
    names = tempfile._RandomNameSequence  # type: ignore[attr-defined]
    wrapping.after(names, "__next__", _note)
    for name in ("uuid1", "uuid4"):
        wrapping.after(uuid, name, _note)


def _note(value: Any, *_arguments: Any, **_options: Any) -> None:
    parts = (str(value), value.hex) if isinstance(value, uuid.UUID) else (value,)
    if len(_chosen) < _CAP:
        _chosen.update(part for part in (*parts, parts[-1][:_SHORTEST]) if part)


def lasting(name: str) -> str:
    """Returns a name as it is in every run.

    Args:
        name: of a file or folder, without those that it is in.
    """
    parts = [part for part in _chosen if part in name]
    if parts:
        pattern = "|".join(re.escape(part) for part in sorted(parts, key=len, reverse=True))
        name = re.sub(pattern, _SHOWN, name)
    return times.without_time(name)
