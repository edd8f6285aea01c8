"""The part of a file that edits concern, so that libcst reads and writes only that part.

Statements that stay as they are become strings of as many lines, so that every other place of the
text remains where it was.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import accumulate

from tfmigrate.files.logical_lines import LINE_BREAK, split_lines
from tfmigrate.model.edits import Edit, StatementsToBlock, StatementsToFunction
from tfmigrate.resolve.module import Module

_PLACE = "'''tfmigrate: text {}"
_PLACES = re.compile(r"'''tfmigrate: text (\d+)[\r\n]*'''")
_END_OF_LINE = re.compile(r"[ \t]*(?:#.*)?(?=[\r\n]|\Z)")
_LEAST = 100  # characters; libcst reads fewer of them as fast as a string in their place


class Excerpt:
    """A text without the statements that no edit concerns.

    Statements next to edited ones are kept: blank lines depend on what they are.

    Attributes:
        text: what is left, with strings in the places of what is left out.
    """

    def __init__(self, module: Module, text: str, edits: Sequence[Edit]) -> None:
        """Leaves out what it can; everything is kept where there are no edits."""
        self.text, self._module = text, module
        self._left_out: list[str] = []
        if (
            not edits
            or _PLACE.format("") in text
            # They name the first and the last statement only, and move all between.
            or any(isinstance(e, (StatementsToBlock, StatementsToFunction)) for e in edits)
        ):
            return
        named = {node for edit in edits for node in _nodes(edit)}
        # What libcst takes for the file's indentation is that of the first block.
        first = _first_indented(module, module.tree.body)
        self._whole = {node for node in named if isinstance(node, ast.stmt)}
        self._touched = named | ({first} if first else set())
        self._touched |= {a for node in self._touched for a in module.ancestors(node)}
        starts = [0, *accumulate(map(len, split_lines(text)))]
        pieces, end = [], 0
        for run in self._runs(module.tree.body):
            start, stop, last = (starts[line - 1] + column for line, column in self._span(run))
            if stop - start < _LEAST or not self._is_apart(text, start, stop, run[0]):
                continue
            stop = last
            breaks = "".join(LINE_BREAK.findall(text, start, stop))
            place = f"{_PLACE.format(len(self._left_out))}{breaks}'''"
            pieces += [text[end:start], place]
            self._left_out.append(text[start:stop])
            end = stop
        self.text = "".join([*pieces, text[end:]])

    def restored(self, text: str) -> str:
        """Returns a new text of the excerpt with what was left out."""
        return _PLACES.sub(lambda place: self._left_out[int(place[1])], text)

    def _runs(self, block: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
        """Yields the statements of a block to leave out, those that follow each other together."""
        start = 0
        for index, statement in enumerate(block):
            if self._touched.isdisjoint(block[max(index - 1, 0) : index + 2]):
                continue
            if start < index:
                yield block[start:index]
            start = index + 1
            if statement not in self._whole:
                for inner in _blocks(statement):
                    yield from self._runs_below(inner)
        if start < len(block):
            yield block[start:]

    def _runs_below(self, block: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
        if _is_elif(self._module, block):
            for inner in _blocks(block[0]):
                yield from self._runs_below(inner)
        else:
            yield from self._runs(block)

    def _span(self, run: Sequence[ast.stmt]) -> list[tuple[int, int]]:
        """Returns the line (from 1) and the column where statements begin, and where they end.

        The last place is the end of the comments that are indented further than the statements:
        libcst loses the white space of some.
        """
        lines = self._module.lines
        line = min([run[0].lineno, *(node.lineno for node in _decorators(run[0]))])
        indent = _indent(lines[line - 1])
        end, offset = run[-1].end_lineno, run[-1].end_col_offset
        assert end is not None and offset is not None
        stop = last = (end, self._module.column(end, offset))
        for number, text in enumerate(lines[end:], start=end + 1):
            if text.strip() and not text.lstrip().startswith("#"):
                break
            if text.strip() and _indent(text).startswith(indent) and _indent(text) != indent:
                last = (number, len(text))
        return [(line, len(indent)), stop, last]

    def _is_apart(self, text: str, start: int, stop: int, first: ast.stmt) -> bool:
        """Returns whether statements have their lines for themselves."""
        if not _END_OF_LINE.match(text, stop):
            return False
        if _decorators(first):
            return text[start] == "@"
        return _begins_line(self._module, first)


def _nodes(thing: object) -> Iterator[ast.AST]:
    """Yields the nodes that an edit, or a part of one, names."""
    if isinstance(thing, ast.AST):
        yield thing
    elif isinstance(thing, tuple):
        for part in thing:
            yield from _nodes(part)
    elif is_dataclass(thing):
        for field in fields(thing):
            yield from _nodes(getattr(thing, field.name))


def _blocks(statement: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    """Yields the blocks of a statement, in the order of the text."""
    for _, value in ast.iter_fields(statement):
        if isinstance(value, list) and value:
            if isinstance(value[0], ast.stmt):
                yield value
            elif isinstance(value[0], (ast.ExceptHandler, ast.match_case)):
                yield from (clause.body for clause in value)


def _first_indented(module: Module, block: Sequence[ast.stmt]) -> ast.stmt | None:
    """Returns the first statement of the first block that is on separate lines."""
    for statement in block:
        for inner in _blocks(statement):
            first_statement = inner[0]
            if _is_elif(module, inner):
                if (below := _first_indented(module, inner)) is not None:
                    return below
            elif _begins_line(module, first_statement) or _decorators(first_statement):
                return first_statement
    return None


def _is_elif(module: Module, block: Sequence[ast.stmt]) -> bool:
    """Returns whether a block is an ``elif`` clause, which is not a separate statement."""
    first = block[0]
    if not isinstance(first, ast.If):
        return False
    line = module.lines[first.lineno - 1]
    return line.startswith("elif", module.column(first.lineno, first.col_offset))


def _begins_line(module: Module, statement: ast.stmt) -> bool:
    line = module.lines[statement.lineno - 1]
    return not line[: module.column(statement.lineno, statement.col_offset)].strip(" \t")


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _decorators(statement: ast.stmt) -> list[ast.expr]:
    return getattr(statement, "decorator_list", [])
