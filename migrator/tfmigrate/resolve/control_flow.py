"""Where statements stand to each other: which block holds both, which branches exclude."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tfmigrate.resolve.module import Module, asked_once


@dataclass(frozen=True)
class Test:
    """One condition around a place.

    Attributes:
        expression: what is asked.
        holds: the answer that leads to the place.
    """

    expression: ast.expr
    holds: bool

    @property
    def opposite(self) -> Test:
        """The other answer."""
        return Test(self.expression, not self.holds)


@dataclass(frozen=True)
class Meeting:
    """Where two statements meet: the innermost block that holds both, in whatever depth.

    Attributes:
        first: the statement of that block which is or holds the first one.
        second: the statement of that block which is or holds the second one.
        in_order: whether the first comes before the second.
    """

    first: ast.stmt
    second: ast.stmt
    in_order: bool


def block_of(module: Module, statement: ast.stmt) -> list[ast.stmt]:
    """Returns the block of statements around a statement."""
    fields = (value for _, value in ast.iter_fields(module.parent(statement)))
    return next(block for block in fields if isinstance(block, list) and statement in block)


def meeting(module: Module, statement: ast.stmt, other: ast.AST) -> Meeting | None:
    """Returns where a statement and a later node meet, None where no block holds both."""
    ours = _path(module, statement)
    theirs = _path(module, module.statement(other))
    for block, first in ours:
        for other_block, second in theirs:
            if block is other_block:
                return Meeting(first, second, block.index(first) < block.index(second))
    return None


def _path(module: Module, statement: ast.stmt) -> list[tuple[list[ast.stmt], ast.stmt]]:
    """Returns the blocks around a statement with the statement of each, innermost first."""
    path = []
    current: ast.AST = statement
    while not isinstance(current, ast.Module):
        parent = module.parent(current)
        if isinstance(current, ast.stmt):
            for name in ("body", "orelse", "finalbody"):
                block = getattr(parent, name, None)
                if isinstance(block, list) and current in block:
                    path.append((block, current))
        current = parent
    return path


def exclusive(module: Module, first: ast.stmt, second: ast.stmt) -> bool:
    """Returns whether two statements stand in branches of one ``if`` that exclude each other."""
    for holder in [n for n in module.ancestors(first) if isinstance(n, ast.If)]:
        if holder not in module.ancestors(second):
            continue
        both = (first, second)
        in_body = [any(n is s or s in module.ancestors(n) for s in holder.body) for n in both]
        return in_body[0] != in_body[1]
    return False


def within_function(module: Module, node: ast.AST) -> list[ast.AST]:
    """Returns the nodes around one, the nearest first, up to its function."""
    outer: list[ast.AST] = []
    for ancestor in module.ancestors(node):
        outer.append(ancestor)
        if isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            break
    return outer


def conditions_around(module: Module, node: ast.AST, outer: Iterable[ast.AST]) -> Iterator[Test]:
    """Yields the conditions that a node is evaluated under, innermost first.

    Those are what is asked around it, what is before it in an ``and`` or an ``or``, and branches
    before it that end in ``return``.

    Args:
        outer: the nodes around it that are looked at, the nearest first.
    """
    child = node
    for parent in outer:
        if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            body = parent.body if isinstance(parent.body, list) else [parent.body]
            yield Test(parent.test, child in body)
        elif isinstance(parent, ast.BoolOp) and child in parent.values:
            earlier = parent.values[: parent.values.index(child)]
            yield from (Test(value, isinstance(parent.op, ast.And)) for value in earlier)
        for guard, block in reversed(_returns_in(module, parent)):
            if child in block[block.index(guard) + 1 :]:
                yield Test(guard.test, holds=False)
        child = parent


@asked_once
def _returns_in(module: Module, parent: ast.AST) -> list[tuple[ast.If, list[ast.stmt]]]:
    """Returns the ``if ...: return`` statements right below a node, each with its block."""
    blocks = [getattr(parent, name, None) for name in ("body", "orelse", "finalbody")]
    return [
        (statement, block)
        for block in blocks
        if isinstance(block, list)
        for statement in block
        if isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Return)
    ]
