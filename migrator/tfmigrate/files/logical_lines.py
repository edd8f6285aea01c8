"""Where statements begin in text that need not parse: notebook magics, Python 2."""

import difflib
import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"#|\"\"\"|'''|[\"'()\[\]{}]|\\\r?\n|\\\r")
_STRING_END = {
    quote: re.compile(rf"\\(?:\r\n|.)|{quote}", re.DOTALL) for quote in ("'", '"', "'''", '"""')
}
_CONTENT = re.compile(r"[ \t]*(?=[^ \t#\r\n\\])")
LINE_BREAK = re.compile(r"\r\n|\r|\n")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def split_lines(text: str) -> list[str]:
    """Returns the lines of a text with their ends, as Python's tokenizer counts them."""
    return _LINE.findall(text)


def lines_before(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """Returns which old line each line of a new text was, from 0.

    Lines that were put in are where the first of the old ones was.
    """
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        min(start + index, max(end - 1, start))
        for _, start, end, first, last in matcher.get_opcodes()
        for index in range(last - first)
    ]


class Inside(enum.Enum):
    """What a line begins in the middle of."""

    NOTHING = "nothing"
    """A statement, a comment or a blank line begins here."""
    STATEMENT = "statement"
    """A statement continues, within brackets or after a backslash."""
    STRING = "string"
    """A string continues."""


@dataclass(frozen=True)
class Bracket:
    """An opening bracket.

    Attributes:
        row: the line it is on, counted from 0.
        column: its column, counted from 0.
        content: the column of what follows it on its line; None where nothing does.
    """

    row: int
    column: int
    content: int | None


class LineScanner:
    """Reads lines in order and tracks what the next one begins inside."""

    def __init__(self) -> None:
        self._quote = ""
        self._brackets: list[Bracket] = []
        self._continued, self._row = False, 0

    @property
    def inside(self) -> Inside:
        """What the next line begins in the middle of."""
        if self._quote:
            return Inside.STRING
        return Inside.STATEMENT if self._brackets or self._continued else Inside.NOTHING

    @property
    def brackets(self) -> tuple[Bracket, ...]:
        """The brackets that are open where the next line begins, the innermost last."""
        return tuple(self._brackets)

    def read(self, line: str) -> None:
        """Reads a line, its end included."""
        position = 0
        self._continued = False
        while position < len(line):
            match = (_STRING_END[self._quote] if self._quote else _TOKEN).search(line, position)
            if match is None or match[0] == "#":
                break
            position = match.end()
            self._token(match[0], line, match.start())
        self._row += 1
        if len(self._quote) == 1 and not line.rstrip("\r\n").endswith("\\"):
            self._quote = ""  # an unterminated string

    def _token(self, token: str, line: str, column: int) -> None:
        if self._quote:
            self._quote = "" if token == self._quote else self._quote
        elif token in _STRING_END:
            self._quote = token
        elif token[0] == "\\":
            self._continued = True
        elif token in "([{":
            content = _CONTENT.match(line, column + 1)
            self._brackets.append(Bracket(self._row, column, content.end() if content else None))
        elif self._brackets:
            self._brackets.pop()
