"""Where statements stand to each other: which block holds both, which branches exclude."""

import ast
from dataclasses import dataclass

from tfmigrate.resolve.module import Module


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
    parent = module.parent(statement)
    blocks = [getattr(parent, name, []) for name in ("body", "orelse", "finalbody")]
    return next(block for block in blocks if isinstance(block, list) and statement in block)


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
