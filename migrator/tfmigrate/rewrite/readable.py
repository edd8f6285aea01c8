"""Sources that Python parses and libcst does not: simplified for libcst, then restored.

libcst drops white space before the colon of ``except X :`` and form feeds, and cannot parse
indentation that mixes tabs and spaces, nor ``(x): int``. The plain form has the same lines with
ordinary white space there. Of its rewritten text, every line that stayed is the original one.
"""

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, TypeVar

from tfmigrate.files.logical_lines import split_lines
from tfmigrate.resolve.module import Module
from tfmigrate.rewrite.locate import RewriteError

Thing = TypeVar("Thing")
_INDENT = " " * 4
_TARGET = "_tfmigrate_target_{}_"
_LAYOUT = frozenset(
    (tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)
)


class Plain:
    """The plain form of a module.

    Attributes:
        module: its module.
    """

    def __init__(self, module: Module) -> None:
        """Makes the plain form.

        Raises:
            RewriteError: there is none.
        """
        self._lines = split_lines(module.source.text)
        tokens = _tokens(self._lines)
        self._starts = list(_logical_lines(tokens, self._lines))
        self._reindents = _is_mixed(self._starts)
        self._targets: dict[str, str] = {}
        changes = [*_colons(tokens, self._lines), *self._parenthesized(module, tokens)]
        if self._reindents:
            changes += [(s.row, 0, len(s.indent), _INDENT * s.depth) for s in self._starts]
        plain = list(self._lines)
        for row, start, end, new in sorted(changes, reverse=True):
            plain[row] = plain[row][:start] + new + plain[row][end:]
        self._plain = plain
        try:
            self.module = Module(replace(module.source, text="".join(plain)))
        except SyntaxError as error:
            raise RewriteError("its layout is not supported") from error
        self._nodes = dict(self._pairs(module.tree, self.module.tree))

    def moved(self, thing: Thing) -> Thing:
        """Returns an edit, or a part of one, with the nodes of the plain form.

        Raises:
            RewriteError: it names a node that the plain form lacks.
        """
        moved: Any = thing
        if isinstance(thing, ast.AST):
            if thing not in self._nodes:
                raise RewriteError("LibCST does not preserve a parenthesized annotation target")
            moved = self._nodes[thing]
        elif isinstance(thing, tuple):
            moved = tuple(self.moved(part) for part in thing)
        elif is_dataclass(thing) and not isinstance(thing, type):
            values = {field.name: self.moved(getattr(thing, field.name)) for field in fields(thing)}
            moved = replace(thing, **values)
        result: Thing = moved
        return result

    def restored(self, text: str) -> str:
        """Returns a new text of the plain form as one of the original.

        Raises:
            RewriteError: it would not mean the same.
        """
        new = split_lines(text)
        same = _same_lines(self._plain, new)
        lines = [self._lines[same[n]] if n in same else line for n, line in enumerate(new)]
        if self._reindents:
            self._reindent(new, same, lines)
        restored, expected = self._with_targets("".join(lines)), self._with_targets(text)
        try:
            means_the_same = ast.dump(ast.parse(restored)) == ast.dump(ast.parse(expected))
        except SyntaxError:
            means_the_same = False
        if not means_the_same:
            raise RewriteError("its indentation cannot be preserved; indent with spaces only")
        return restored

    def _reindent(self, new: Sequence[str], same: dict[int, int], lines: list[str]) -> None:
        """Gives new lines the indentation of the block that they are in."""
        starts = list(_logical_lines(_tokens(new), new))
        old = _blocks_of(self._starts)
        blocks = [""]
        for index, start in enumerate(starts):
            del blocks[start.depth + 1 :]
            while len(blocks) <= start.depth:
                first_same = _first_kept(starts[index:], same, len(blocks))
                within = blocks[-1] + ("\t" if blocks[-1].endswith("\t") else _INDENT)
                blocks.append(within if first_same is None else old[same[first_same]][len(blocks)])
            if start.row not in same:
                lines[start.row] = blocks[start.depth] + lines[start.row][len(start.indent) :]

    def _parenthesized(
        self, module: Module, tokens: Sequence[tokenize.TokenInfo]
    ) -> Iterator[tuple[int, int, int, str]]:
        """Yields a name that replaces each ``(target)`` of an annotation."""
        places = {token.start: index for index, token in enumerate(tokens)}
        for node in module.all(ast.AnnAssign):
            first = places.get((node.lineno, module.column(node.lineno, node.col_offset)))
            if first is None or node.target.col_offset == node.col_offset:
                continue
            last = _closing(tokens, first)
            row, start, end = node.lineno - 1, tokens[first].start[1], tokens[last].end[1]
            if tokens[last].end[0] == node.lineno:
                name = _TARGET.format(len(self._targets))
                self._targets[name] = self._lines[row][start:end]
                yield row, start, end, name

    def _pairs(self, old: ast.AST, new: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Yields the nodes of the original with those of the plain form."""
        stack = [(old, new)]
        while stack:
            old, new = stack.pop()
            if isinstance(new, ast.Name) and new.id in self._targets:
                continue
            yield old, new
            below = list(ast.iter_child_nodes(old)), list(ast.iter_child_nodes(new))
            if type(old) is not type(new) or len(below[0]) != len(below[1]):
                raise RewriteError("its layout is not supported")
            stack += zip(*below, strict=True)

    def _with_targets(self, text: str) -> str:
        for name, target in self._targets.items():
            text = text.replace(name, target)
        return text


@dataclass(frozen=True)
class _Start:
    """The line that a statement or a comment begins on.

    Attributes:
        row: its number from 0.
        depth: how many blocks it is in.
        indent: its white space.
        is_comment: whether it holds a comment only.
    """

    row: int
    depth: int
    indent: str
    is_comment: bool = False


def _tokens(lines: Sequence[str]) -> list[tokenize.TokenInfo]:
    text = "".join(line.rstrip("\r\n") + "\n" for line in lines)
    try:
        return list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError) as error:
        raise RewriteError("its layout is not supported") from error


def _logical_lines(tokens: Sequence[tokenize.TokenInfo], lines: Sequence[str]) -> Iterator[_Start]:
    widths = [0]
    is_new = True
    for token in tokens:
        row, column = token.start[0] - 1, token.start[1]
        if token.type == tokenize.INDENT:
            widths.append(_width(token.string))
        elif token.type == tokenize.DEDENT:
            widths.pop()
        elif token.type == tokenize.COMMENT and is_new:
            indent = lines[row][:column]
            depth = sum(width <= _width(indent) for width in widths) - 1
            yield _Start(row, max(depth, 0), indent, is_comment=True)
        elif is_new and token.type not in _LAYOUT and token.type != tokenize.ENDMARKER:
            yield _Start(row, len(widths) - 1, lines[row][:column])
            is_new = False
        is_new |= token.type == tokenize.NEWLINE


def _width(indent: str) -> int:
    return len(indent.rpartition("\f")[2].expandtabs(8))


def _is_mixed(starts: Sequence[_Start]) -> bool:
    """Returns whether some block is not indented by more white space than the one around it."""
    blocks = [""]
    for start in starts:
        if start.is_comment:
            continue
        del blocks[start.depth + 1 :]
        if len(blocks) <= start.depth:
            if not start.indent.startswith(blocks[-1]):
                return True
            blocks.append(start.indent)
        if start.indent != blocks[-1] or "\f" in start.indent:
            return True
    return False


def _colons(
    tokens: Sequence[tokenize.TokenInfo], lines: Sequence[str]
) -> Iterator[tuple[int, int, int, str]]:
    """Yields the white space before the colons of ``except`` clauses."""
    is_clause, depth = False, 0
    for before, token in pairwise(tokens):
        if token.type == tokenize.NAME and token.string == "except":
            is_clause, depth = True, 0
        elif token.type == tokenize.OP and is_clause:
            depth += (token.string in "([{") - (token.string in ")]}")
            if token.string == ":" and not depth:
                is_clause = False
                row, gap = token.start[0] - 1, (before.end[1], token.start[1])
                if before.end[0] == token.start[0] and lines[row][slice(*gap)]:
                    yield row, *gap, ""


def _closing(tokens: Sequence[tokenize.TokenInfo], opening: int) -> int:
    depth = 0
    for index in range(opening, len(tokens)):
        if tokens[index].type == tokenize.OP:
            depth += (tokens[index].string in "([{") - (tokens[index].string in ")]}")
        if not depth:
            return index
    return opening


def _same_lines(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Returns the lines of a new text that are old ones, with the numbers of those."""
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return {b.b + offset: b.a + offset for b in blocks for offset in range(b.size)}


def _blocks_of(starts: Sequence[_Start]) -> dict[int, list[str]]:
    """Returns the white space of all blocks around each statement, by its row."""
    indents_by_row: dict[int, list[str]] = {}
    blocks = [""]
    for start in starts:
        if not start.is_comment:
            blocks[start.depth :] = [start.indent]
            indents_by_row[start.row] = list(blocks)
    return indents_by_row


def _first_kept(starts: Sequence[_Start], same: dict[int, int], depth: int) -> int | None:
    """Returns the row of the first old statement in a block, or in one within it."""
    for start in starts:
        if start.depth < depth and not start.is_comment:
            return None
        if start.row in same and not start.is_comment:
            return start.row
    return None
