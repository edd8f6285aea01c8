"""The blank lines and comments around statements that change.

libcst has them as a part of the statement below them: they would be removed with it, or follow it
to its new place.
"""

import dataclasses
import enum
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar

import libcst as cst

Node = TypeVar("Node", bound=cst.CSTNode)
Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement
# What most values are: text, and nodes that hold nothing else.
_WITHOUT_NODES = frozenset((str, type(None), bool, cst.SimpleWhitespace, cst.MaybeSentinel))
_DEFINITIONS = (cst.FunctionDef, cst.ClassDef)


def comments(node: cst.CSTNode) -> list[str]:
    """Returns the comments within a node, in the order of the text."""
    texts = any_order(node)
    if len(texts) < 2:
        return texts
    texts = []

    class _Collector(cst.CSTVisitor):
        def visit_Comment(self, node: cst.Comment) -> None:  # noqa: N802
            texts.append(node.value)

    node.visit(_Collector())
    return texts


def of_kind(node: cst.CSTNode, kind: type[Node]) -> list[Node]:
    """Returns the nodes of a kind within a node, fields one by one: in any order, and fast."""
    nodes: list[Node] = []
    waiting: list[Any] = [node]
    while waiting:
        value = waiting.pop()
        of: Any = type(value)  # isinstance() is slow on libcst's abstract classes
        if of in _WITHOUT_NODES:
            continue
        if of is tuple or of is list:
            waiting += value
            continue
        if of is kind:
            nodes.append(value)
        waiting += [getattr(value, name) for name in _fields(of)]
    return nodes


def any_order(node: cst.CSTNode) -> list[str]:
    """Returns the comments within a node, in any order."""
    return [comment.value for comment in of_kind(node, cst.Comment)]


@cache
def _fields(kind: Any) -> list[str]:
    """Returns the fields of a kind of node; () for other objects."""
    fields = dataclasses.fields(kind) if issubclass(kind, cst.CSTNode) else ()
    return [field.name for field in fields]


def as_lines(comments: Sequence[str], blank: bool = False) -> list[cst.EmptyLine]:
    """Returns comments as separate lines, after a blank line if requested."""
    lines = [cst.EmptyLine(indent=False)] if blank and comments else []
    return lines + [cst.EmptyLine(comment=cst.Comment(value)) for value in comments]


def lines_lost(block: cst.CSTNode, new: list[Statement]) -> list[cst.EmptyLine]:
    """Returns the comments at the end of a block, which belong to no statement."""
    lost = Counter(comments(block)) - Counter(c for s in new for c in comments(s))
    return as_lines(list(lost.elements()))


def has_blank_line(statement: Statement) -> bool:
    """Returns whether a blank line precedes a statement."""
    return any(line.comment is None for line in statement.leading_lines)


def with_surroundings(new: list[Statement], old: Statement) -> list[Statement]:
    """Gives new statements the blank lines and comments that stood around the old one."""
    if not new:
        return new
    new = list(new)
    new[0] = new[0].with_changes(leading_lines=old.leading_lines)
    if isinstance(old, cst.SimpleStatementLine) and isinstance(new[0], cst.SimpleStatementLine):
        *first, last = new[0].body
        last = last.with_changes(semicolon=old.body[-1].semicolon)
        new[0] = new[0].with_changes(
            body=[*first, last], trailing_whitespace=old.trailing_whitespace
        )
    return new


def below(added: Sequence[tuple[Statement, bool]]) -> list[Statement]:
    """Returns statements that are put below another one, in groups.

    Args:
        added: the statements, each with whether it is parted from what is above by a blank line;
            plain ones that are stay together.
    """
    statements: list[Statement] = []
    together = False
    for statement, parted in added:
        plain = not isinstance(statement, _DEFINITIONS)
        if parted and not (plain and together):
            lines = [cst.EmptyLine(indent=False)] * (1 if plain else 2)
            statement = statement.with_changes(leading_lines=lines)
        together = parted and plain
        statements.append(statement)
    return statements


class Gap(enum.Enum):
    """What is between a statement and those that stay above it."""

    NONE = enum.auto()
    REMOVED = enum.auto()  # statements that went, with a blank line above them
    ADDED = enum.auto()  # something that was added below the one above
    FUNCTION = enum.auto()  # the end of statements of a block that became a function


def below_gap(
    gap: Gap, statement: Statement, body: list[Statement], carried: list[cst.EmptyLine]
) -> Statement:
    """Returns a statement with the blank line that a gap needs, and comments of removed ones."""
    if gap is Gap.REMOVED:
        statement = _parted_from(body, statement)
    if carried:
        statement = statement.with_changes(leading_lines=[*carried, *statement.leading_lines])
    if gap is Gap.ADDED:
        return _set_apart(statement, body[-1])
    needs_line = gap is Gap.FUNCTION and not has_blank_line(statement)
    return with_blank_line(statement) if needs_line else statement


def _set_apart(statement: Statement, above: Statement) -> Statement:
    """Returns a statement with a blank line before it, or two next to a definition."""
    blank = [line for line in statement.leading_lines if line.comment is None]
    two = isinstance(above, _DEFINITIONS) or (not blank and isinstance(statement, _DEFINITIONS))
    missing = [cst.EmptyLine(indent=False)] * ((2 if two else 1) - len(blank))
    return statement.with_changes(leading_lines=[*missing, *statement.leading_lines])


def _parted_from(body: list[Statement], statement: Statement) -> Statement:
    """Returns a statement with the blank line above those between it and an import that went."""
    if not body or not _is_import(body[-1]) or statement.leading_lines:
        return statement
    return with_blank_line(statement)


def _is_import(statement: Statement) -> bool:
    """Returns whether a line holds an import and nothing else."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return False
    return isinstance(statement.body[0], (cst.Import, cst.ImportFrom))


def put_before(statement: Statement, others: list[Statement]) -> list[Statement]:
    """Puts a statement before others: below their blank lines, above their own comments.

    A function or class has blank lines before and after it.
    """
    lines = list(others[0].leading_lines)
    cut = max((i + 1 for i, line in enumerate(lines) if line.comment is None), default=0)
    is_definition = isinstance(statement, _DEFINITIONS)
    above = max((i + 1 for i, line in enumerate(lines[:cut]) if line.comment), default=0)
    between = lines[above:cut] or [cst.EmptyLine(indent=False)]
    below = [*(between if is_definition else []), *lines[cut:]]
    first = others[0].with_changes(leading_lines=below)
    return [statement.with_changes(leading_lines=lines[:cut]), first, *others[1:]]


def in_place_of(statement: Statement, removed: Statement) -> Statement:
    """Gives a statement the blank lines above one that is removed."""
    lines = [line for line in removed.leading_lines if line.comment is None]
    return statement.with_changes(leading_lines=lines)


def with_blank_line(statement: Statement) -> Statement:
    """Returns a statement with a blank line more above it."""
    blank = cst.EmptyLine(indent=False)
    return statement.with_changes(leading_lines=[blank, *statement.leading_lines])


def with_blank_lines(statements: list[Statement], is_first: bool) -> list[Statement]:
    """Returns statements, the first between blank lines; where it begins a block, above one."""
    first, *others = statements
    blank = cst.EmptyLine(indent=False)
    if others:  # the statement below may be removed
        between = 2 if isinstance(others[0], _DEFINITIONS) else 1
        lines = [*[blank] * between, *others[0].leading_lines]
        others[0] = others[0].with_changes(leading_lines=lines)
    if not is_first and not has_blank_line(first):
        first = with_blank_line(first)
    return [first, *others]
