"""Where statements begin in text that need not parse: notebook magics, Python 2."""

from __future__ import annotations

import enum
import re

_TOKEN = re.compile(r"#|\"\"\"|'''|[\"'()\[\]{}]|\\\r?\n|\\\r")
_STRING_END = {
    quote: re.compile(rf"\\(?:\r\n|.)|{quote}", re.DOTALL) for quote in ("'", '"', "'''", '"""')
}
LINE_BREAK = re.compile(r"\r\n|\r|\n")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def split_lines(text: str) -> list[str]:
    """Returns the lines of a text with their ends, as Python's tokenizer counts them."""
    return _LINE.findall(text)


class Inside(enum.Enum):
    """What a line begins in the middle of."""

    NOTHING = "nothing"
    """A statement, a comment or a blank line begins here."""
    STATEMENT = "statement"
    """A statement goes on, within brackets or after a backslash."""
    STRING = "string"
    """A string goes on."""


class LineScanner:
    """Reads lines one after the other and tells what the next one begins in the middle of."""

    def __init__(self) -> None:
        self._quote = ""
        self._depth = 0
        self._continued = False

    @property
    def inside(self) -> Inside:
        """What the next line begins in the middle of."""
        if self._quote:
            return Inside.STRING
        return Inside.STATEMENT if self._depth or self._continued else Inside.NOTHING

    def read(self, line: str) -> None:
        """Reads a line, its end included."""
        position = 0
        self._continued = False
        while position < len(line):
            found = (_STRING_END[self._quote] if self._quote else _TOKEN).search(line, position)
            if found is None or found[0] == "#":
                break
            position = found.end()
            self._token(found[0])
        if len(self._quote) == 1 and not line.rstrip("\r\n").endswith("\\"):
            self._quote = ""  # a string of one line that nobody closed

    def _token(self, token: str) -> None:
        if self._quote:
            self._quote = "" if token == self._quote else self._quote
        elif token in _STRING_END:
            self._quote = token
        elif token[0] == "\\":
            self._continued = True
        else:
            self._depth = self._depth + 1 if token in "([{" else max(self._depth - 1, 0)
