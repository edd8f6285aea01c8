"""Python source files as text that encodes to the same bytes."""

import codecs
from dataclasses import dataclass, field
from pathlib import Path


class UnreadableFile(Exception):  # noqa: N818 - it describes the file, and is caught as such
    """A file that cannot be read without guessing.

    Attributes:
        line: Line of the first bad byte, 1-based; 1 for the whole file.
        column: Its column in characters, 1-based.
        reason: What is wrong and what to do, one line.
    """

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.column, self.reason = line, column, reason


class TextRefused(Exception):  # noqa: N818 - it describes the text, and is caught as such
    """A new text that cannot become the file's; the message is one line."""


LONGEST_LINE = 1_000_000  # bytes; Python's parser needs gigabytes for a few of them


@dataclass(frozen=True)
class SourceFile:
    """One Python file on disk.

    Attributes:
        path: Where the file is.
        display: The path as shown to the user.
        text: The decoded text, newlines as in the file, without the byte order mark.
        encoding: The codec of the file: its PEP 263 cookie, or UTF-8.
        bom: Whether the file starts with UTF-8's byte order mark.
        converted: Whether the text is what a Python 2 file was converted to.
        states_python_3: Whether the file names Python 3 as its language, as notebooks do.
    """

    path: Path
    display: str
    text: str
    encoding: str
    bom: bool
    converted: bool = field(default=False, kw_only=True)
    states_python_3: bool = field(default=False, kw_only=True)

    @property
    def language(self) -> str:
        """The language of the text: Python, except for some notebooks."""
        return "Python"

    def encode(self, text: str) -> bytes:
        """Returns the bytes of ``text`` in this file's encoding, byte order mark included.

        Raises:
            UnicodeEncodeError: ``text`` holds a character that the encoding does not have.
            TextRefused: the file has no room for ``text``.
        """
        return (codecs.BOM_UTF8 if self.bom else b"") + text.encode(self.encoding)

    def fit(self, text: str) -> None:
        """Checks that the file can hold a new text that is Python.

        Raises:
            TextRefused: it cannot.
        """

    def python(self, text: str) -> bytes | str:
        """Returns what Python has to be able to parse once ``text`` is the file's."""
        return self.encode(text)

    def where(self, line: int, column: int) -> tuple[int, int, int]:
        """Returns a place of the text as users count it.

        Returns:
            The cell of a notebook (0 in other files), the line in it and the column.
        """
        return 0, line, column

    def place(self, line: int, column: int | None = None) -> str:
        """Returns a place of the text as it is shown to the user."""
        cell, line, shown = self.where(line, column or 1)
        head = f"{self.display}:cell {cell}" if cell else self.display
        return f"{head}:{line}" if column is None else f"{head}:{line}:{shown}"
