"""The JSON of a notebook, read with the places of the cells' sources in it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tfmigrate.files.notebook_language import Language, is_cell_of_other_language, language_of

_SPACE = re.compile(r"[ \t\r\n]*")
# Numbers are never looked at, and Python refuses to read those of thousands of digits.
_DECODER = json.JSONDecoder(strict=False, parse_int=len, parse_float=len)


class NotNotebookError(Exception):
    """A text is not the JSON of a notebook.

    Attributes:
        line: the line of the error, 1-based.
        column: its column, 1-based.
    """

    def __init__(self, text: str, position: int, reason: str) -> None:
        super().__init__(f"not a Jupyter notebook: {reason}")
        self.line = text.count("\n", 0, position) + 1
        self.column = position - (text.rfind("\n", 0, position) + 1) + 1


@dataclass(frozen=True)
class CellSource:
    """The source of one code cell.

    Attributes:
        number: which cell it is, counted from 1 over the cells of every kind.
        start: where the JSON value of its source begins.
        end: where that ends.
        text: the source.
        lines: the JSON texts of the list's elements by what they hold; None where the source is
            one string.
        between: the text between two elements.
    """

    number: int
    start: int
    end: int
    text: str
    lines: dict[str, str] | None
    between: str = ""


def code_cells(document: str) -> tuple[Language, list[CellSource]]:
    """Returns a notebook's language and the sources of its code cells; none of other languages.

    Raises:
        NotNotebookError: the text is not a notebook.
    """
    position = _skip(document, 0)
    if document[position : position + 1] != "{":
        raise NotNotebookError(document, position, "not a JSON object")
    members = {key: (start, end) for key, start, end in _members(document, position)}
    metadata = _value(document, members["metadata"][0]) if "metadata" in members else None
    language = language_of(metadata)
    if language.is_other:
        return language, []
    lists = [members["cells"][0]] if "cells" in members else []
    if "worksheets" in members:  # nbformat 3
        for sheet, _ in _elements(document, members["worksheets"][0]):
            lists += [s for key, s, _ in _members(document, sheet) if key == "cells"]
    if not lists:
        raise NotNotebookError(document, position, "the JSON object has no cells")
    starts = [cell for start in lists for cell, _ in _elements(document, start)]
    sources = [_code_cell(document, cell, number) for number, cell in enumerate(starts, start=1)]
    return language, [source for source in sources if source is not None]


def source_text(document: str, source: CellSource, text: str) -> str:
    """Returns the JSON of a cell's new text, laid out as its old one.

    Args:
        document: the JSON text of the notebook, which shows whether characters are escaped.
        source: the cell's old source.
        text: its new text.
    """
    escapes = document.isascii() and "\\u" in document
    if source.lines is None:
        return json.dumps(text, ensure_ascii=escapes)
    old = document[source.start : source.end]
    if not text:
        return "[]"
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    quoted = [source.lines.get(line) or json.dumps(line, ensure_ascii=escapes) for line in lines]
    return old[: _skip(old, 1)] + source.between.join(quoted) + old[len(old[:-1].rstrip()) :]


def _code_cell(document: str, start: int, number: int) -> CellSource | None:
    members = {key: (begin, end) for key, begin, end in _members(document, start)}
    place = members.get("source") or members.get("input")
    kind = _value(document, members["cell_type"][0]) if "cell_type" in members else None
    if kind != "code" or place is None:
        return None
    stated: dict[str, Any] = {
        key: _value(document, members[key][0]) for key in ("language", "metadata") if key in members
    }
    if is_cell_of_other_language(stated):
        return None
    value = _value(document, place[0])
    if isinstance(value, str):
        return CellSource(number, *place, value, None)
    if not isinstance(value, list) or not all(isinstance(line, str) for line in value):
        raise NotNotebookError(document, place[0], "the source of a cell is not text")
    spans = list(_elements(document, place[0]))
    lines = {line: document[begin:end] for line, (begin, end) in zip(value, spans, strict=True)}
    if len(spans) > 1:
        between = document[spans[0][1] : spans[1][0]]
    else:
        between = "," + (document[place[0] + 1 : _skip(document, place[0] + 1)] or " ")
    return CellSource(number, *place, "".join(value), lines, between)


def _members(document: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Yields the keys of the object that begins at a place, with the places of their values."""
    position = _opened(document, start, "{")
    while document[position : position + 1] != "}":
        key, position = _read(document, position)
        position = _skip(document, position)
        if document[position : position + 1] != ":":
            raise NotNotebookError(document, position, "missing colon after a key")
        begin = _skip(document, position + 1)
        _, end = _read(document, begin)
        yield str(key), begin, end
        position = _next(document, end, "}")


def _elements(document: str, start: int) -> Iterator[tuple[int, int]]:
    """Yields the places of the elements of the list that begins at a place."""
    position = _opened(document, start, "[")
    while document[position : position + 1] != "]":
        _, end = _read(document, position)
        yield position, end
        position = _next(document, end, "]")


def _opened(document: str, start: int, bracket: str) -> int:
    if document[start : start + 1] != bracket:
        raise NotNotebookError(document, start, f"expected {bracket}")
    return _skip(document, start + 1)


def _next(document: str, position: int, closing: str) -> int:
    """Returns the position of the next element, or of the closing bracket."""
    position = _skip(document, position)
    if (mark := document[position : position + 1]) == ",":
        return _skip(document, position + 1)
    if mark != closing:
        raise NotNotebookError(document, position, f"expected a comma or {closing}")
    return position


def _value(document: str, start: int) -> Any:
    return _read(document, start)[0]


def _read(document: str, position: int) -> tuple[Any, int]:
    """Reads the JSON value that begins at a place.

    Returns:
        The value, and where it ends.
    """
    try:
        return _DECODER.raw_decode(document, position)
    except (json.JSONDecodeError, RecursionError) as error:
        at = error.pos if isinstance(error, json.JSONDecodeError) else position
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise NotNotebookError(document, at, reason) from error


def _skip(document: str, position: int) -> int:
    spaces = _SPACE.match(document, position)
    assert spaces is not None
    return spaces.end()
