"""Jupyter notebooks as one module of all their cells, and back into the same file.

The cells follow each other in one text, with a comment between them. Only the ``source`` of cells
that change is written; outputs, metadata and the layout of the JSON stay as they are.
"""

import codecs
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tfmigrate.files.logical_lines import LINE_BREAK
from tfmigrate.files.magics import MaskedCell, is_foreign, masked
from tfmigrate.files.notebook_json import CellSource, NotNotebookError, code_cells, source_text
from tfmigrate.files.quiet_parse import quiet_parse
from tfmigrate.files.source import LONGEST_LINE, SourceFile, TextRefused, UnreadableFile

# The blank line below keeps what is put before a cell's first statement within the cell.
_SEPARATOR = "# tfmigrate: cell {}\n\n"
_BOUNDARY = re.compile(r"^# tfmigrate: cell (\d+)\n\n?", re.MULTILINE)
_ANY_BOUNDARY = re.compile(r"# tfmigrate: cell (\d+)")


@dataclass(frozen=True)
class Cell:
    """One cell of Python.

    Attributes:
        source: where its text is in the file.
        masked: the text as Python.
    """

    source: CellSource
    masked: MaskedCell


@dataclass(frozen=True)
class Notebook(SourceFile):
    """A notebook; ``text`` is the module that its cells make.

    Attributes:
        document: the JSON text of the file.
        cells: the cells of Python, in their order.
        other_language: the language of a notebook that is not Python; "" of others.
    """

    document: str
    cells: tuple[Cell, ...]
    other_language: str = ""

    @property
    def language(self) -> str:
        """The language of the cells."""
        return self.other_language or "Python"

    def where(self, line: int, column: int) -> tuple[int, int, int]:
        """Returns the cell, the line in it and the column of a place in the module."""
        if not self.cells:
            return super().where(line, column)
        index = bisect_right(self._first_lines, line) - 1
        return self.cells[index].source.number, line - self._first_lines[index] + 1, column

    @cached_property
    def _first_lines(self) -> list[int]:
        """The line of the text that each cell begins at."""
        ends = [boundary.end() for boundary in _BOUNDARY.finditer(self.text)]
        return [1, *(len(LINE_BREAK.findall(self.text, 0, end)) + 1 for end in ends)]

    def encode(self, text: str) -> bytes:
        """Returns the bytes of the notebook with the cells that a module's text holds.

        Raises:
            TextRefused: the text cannot be split into the cells.
        """
        document = self.document
        pairs = list(zip(self.cells, self._taken_apart(text), strict=True))
        for cell, code in reversed(pairs):
            if code != cell.masked.text:
                new = source_text(document, cell.source, cell.masked.unmasked(code))
                document = document[: cell.source.start] + new + document[cell.source.end :]
        return (codecs.BOM_UTF8 if self.bom else b"") + document.encode()

    def fit(self, text: str) -> None:
        """Checks that a new text of the module can be split into cells of Python.

        Raises:
            TextRefused: it cannot.
        """
        for cell, code in zip(self.cells, self._taken_apart(text), strict=True):
            try:
                if code != cell.masked.text:
                    quiet_parse(code)
            except SyntaxError as error:
                number = cell.source.number
                raise TextRefused(
                    f"cell {number} would not be valid Python: {error.msg}"
                ) from error

    def python(self, text: str) -> bytes | str:
        """Returns the text of all cells: a notebook itself is JSON."""
        return text

    def _taken_apart(self, text: str) -> list[str]:
        """Returns the code of each cell.

        Raises:
            TextRefused: a boundary between cells, or a line that is not Python, has moved.
        """
        if not self.cells:
            return []
        numbers = [str(cell.source.number) for cell in self.cells[1:]]
        pieces = _BOUNDARY.split(text)
        codes = [piece.removesuffix("\n") for piece in pieces[:-1:2]] + [pieces[-1]]
        if pieces[1::2] != numbers or _ANY_BOUNDARY.findall(text) != numbers:
            raise TextRefused("a statement would span two cells")
        for cell, code in zip(self.cells, codes, strict=False):
            if cell.masked.names_in(code) != list(cell.masked.originals):
                raise TextRefused(f"a magic of cell {cell.source.number} would be moved or removed")
        return codes


def decode_notebook(data: bytes, path: Path, display: str) -> Notebook:
    """Decodes the bytes of a notebook.

    Notebooks of other languages have no cells here. An unknown language, such as that of a SoS
    notebook, counts as Python where all cells parse.

    Raises:
        UnreadableFile: the bytes are not a notebook.
    """
    bom = data.startswith(codecs.BOM_UTF8)
    try:
        document = data.decode("utf-8-sig")
        language, sources = code_cells(document)
    except UnicodeDecodeError as error:
        raise UnreadableFile(1, 1, f"not valid UTF-8 at byte {error.start}") from error
    except NotNotebookError as error:
        raise UnreadableFile(error.line, error.column, str(error)) from error
    pieces: list[str] = []
    cells: list[Cell] = []
    for source in sources:
        if is_foreign(source.text):
            continue
        _check_lines(source)
        code = masked(source.text, source.number)
        if cells:
            pieces.append("\n" + _SEPARATOR.format(source.number))
        cells.append(Cell(source, code))
        pieces.append(code.text)
    if not language.is_python and not _parse(pieces):
        cells, pieces = [], []
    other = "" if cells or language.is_python else language.name
    text = "".join(pieces)
    notebook = Notebook(
        path,
        display,
        text,
        "utf-8",
        bom,
        document,
        tuple(cells),
        other,
        states_python_3=language.is_python_3,
    )
    _check_round_trip(notebook, data)
    return notebook


def _check_lines(source: CellSource) -> None:
    """Refuses a cell with a line that takes minutes to parse.

    Raises:
        UnreadableFile: it has one.
    """
    if (longest := max(map(len, source.text.splitlines()), default=0)) > LONGEST_LINE:
        reason = f"a line of cell {source.number} has {longest:,} characters, and at most"
        remedy = "split the line, move its data to a file of another kind, or exclude this file"
        raise UnreadableFile(1, 1, f"{reason} {LONGEST_LINE:,} are read; {remedy}")


def _parse(cells: list[str]) -> bool:
    """Returns whether cells are Python, which decides where the metadata's language is unknown."""
    try:
        quiet_parse("".join(cells))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _check_round_trip(notebook: Notebook, data: bytes) -> None:
    """Checks that the cells round-trip through the text.

    Raises:
        UnreadableFile: they do not, for example because a cell contains a boundary comment.
    """
    reason = "the cells do not round-trip"
    try:
        same = notebook.encode(notebook.text) == data
    except TextRefused as error:
        raise UnreadableFile(1, 1, f"{reason}: {error}") from error
    codes = [cell.masked.unmasked(cell.masked.text) for cell in notebook.cells]
    if not same or codes != [cell.source.text for cell in notebook.cells]:
        raise UnreadableFile(1, 1, reason)
