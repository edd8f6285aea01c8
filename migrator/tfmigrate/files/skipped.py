"""Files that a run found and skipped, and why."""

from dataclasses import dataclass

from tfmigrate.files.source import SourceFile

NOT_PYTHON = "not-python"
"""A notebook in another language."""
LINK = "link"
"""A link to a file outside the given folder."""


@dataclass(frozen=True)
class Skipped:
    """A file that was skipped.

    Attributes:
        path: The file as shown to the user.
        reason: ``NOT_PYTHON`` or ``LINK``.
        detail: The language of the notebook, or the target of the link.
    """

    path: str
    reason: str
    detail: str


def skipped_notebook(source: SourceFile) -> Skipped | None:
    """Returns the entry of a notebook in a language other than Python; None for other files."""
    if source.language == "Python":
        return None
    return Skipped(source.display, NOT_PYTHON, source.language)
