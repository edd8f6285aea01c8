"""Files that a run found and did not look into, and why."""

from __future__ import annotations

from dataclasses import dataclass

from tfmigrate.files.source import SourceFile

NOT_PYTHON = "not-python"
"""A notebook of another language."""
LINK = "link"
"""A link to a file that is not in the folder that was given."""


@dataclass(frozen=True)
class Skipped:
    """A file that was not looked into.

    Attributes:
        path: The file as shown to the user.
        reason: ``NOT_PYTHON`` or ``LINK``.
        detail: The language of the notebook, or where the link leads.
    """

    path: str
    reason: str
    detail: str


def skipped_notebook(source: SourceFile) -> Skipped | None:
    """Returns what is to be said of a notebook of another language than Python."""
    if source.language == "Python":
        return None
    return Skipped(source.display, NOT_PYTHON, source.language)
