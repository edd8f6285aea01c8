"""Findings: what tfmigrate reports about one place in one file."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field

# The codes of findings without a rule: about whole files, comments and the tool itself.
UNPARSABLE_FILE = "TFM900"
UNREADABLE_FILE = "TFM901"
UNREADABLE_FOLDER = "TFM902"
UNWRITTEN_FILE = "TFM903"
PYTHON_2 = "TFM904"
PYTHON_2_DIVISION = "TFM905"
UNKNOWN_IGNORE = "TFM906"
UNUSED_IGNORE = "TFM907"
OUTDATED_REQUIREMENT = "TFM908"
INTERNAL_ERROR = "TFM909"
HELD_BACK = "TFM910"
OUTDATED_LAUNCHER = "TFM911"

DECLINED = "declined; run tfmigrate again to change it"
"""What to do about a file whose change the user declined under ``--interactive``."""


class Severity(enum.Enum):
    """How safe a finding's edit is, and who has to act on it."""

    FIXED = "fixed"
    """The edit keeps the training as it was; it is always applied."""
    KEPT = "kept"
    """The construct stays: it runs in compat.v1 as before, not under tf.distribute."""
    UNSAFE = "unsafe"
    """The edited program may train differently; applied only with ``--unsafe``."""
    MANUAL = "manual"
    """No edit keeps the meaning: the user must change the code."""
    ERROR = "error"
    """The file could not be read, parsed or written; it stays as it is."""


@dataclass(frozen=True)
class Finding:
    """One construct the tool changed, would change or cannot change.

    Findings sort by file, cell, line, column and code, which is the order they are shown in.

    Attributes:
        path: The file as shown to the user.
        line: Line of the construct, 1-based.
        column: Column of the construct in characters, 1-based.
        code: The rule's code.
        severity: How safe the edit is; ignored in comparisons.
        message: What was found, and what it becomes or why it cannot be changed, one line.
        action: What to do, one line; empty if there is nothing left to do.
        applied: Whether the edit was made (or would be, under ``--check`` and ``--diff``).
        cell: The cell of a notebook, 1-based, in which the line is counted; 0 in other files.
        unsafe_converts: Whether ``--unsafe`` would convert what is kept.
        held_back: Whether another finding prevents the change, also with ``--unsafe``.
        end_line: Line of the end of the construct; 0 where it is a whole file, or not known.
        end_column: Column after its last character.
    """

    path: str
    line: int
    column: int
    code: str
    severity: Severity = field(compare=False)
    message: str
    action: str
    applied: bool
    cell: int = 0
    unsafe_converts: bool = field(default=False, compare=False)
    held_back: bool = field(default=False, compare=False)
    end_line: int = field(default=0, compare=False)
    end_column: int = field(default=0, compare=False)

    def __lt__(self, other: Finding) -> bool:
        return self._key() < other._key()

    @property
    def place(self) -> str:
        """The place of the construct, as shown to the user."""
        head = f"{self.path}:cell {self.cell}" if self.cell else self.path
        return f"{head}:{self.line}:{self.column}"

    def _key(self) -> tuple[str, int, int, int, str, str, str, bool]:
        place = (self.path, self.cell, self.line, self.column)
        return (*place, self.code, self.message, self.action, self.applied)


def first_of(names: Iterable[str], most: int) -> str:
    """Returns the first of some names, each once, and how many more there are."""
    distinct = list(dict.fromkeys(names))
    more = f" and {len(distinct) - most} more" if len(distinct) > most else ""
    return f"{', '.join(distinct[:most])}{more}"


def in_places(count: int) -> str:
    """Returns the end of the message of one finding about several places; "" for one place."""
    return f" ({count} places)" if count > 1 else ""
