"""The conditions that a statement is run under, and their text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tfmigrate.module import Module


class CannotTell(Exception):  # noqa: N818 - it is a refusal, told to the user as a finding
    """The condition of a place cannot be told; the text says why."""

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


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


Chain = tuple[Test, ...]


def tests_around(module: Module, node: ast.AST) -> list[Test]:
    """Returns the conditions that a node is evaluated under within its function, outermost first.

    A branch before it that ends in ``return`` counts as a condition too.

    Raises:
        CannotTell: the node is part of an ``and``, an ``or`` or a comprehension.
    """
    found: list[Test] = []
    child = node
    for parent in module.ancestors(node):
        if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            body = parent.body if isinstance(parent.body, list) else [parent.body]
            found.append(Test(parent.test, child in body))
        elif isinstance(parent, ast.BoolOp):
            raise CannotTell(node, "it stands in an `and` or an `or`")
        if isinstance(child, ast.stmt):
            found += reversed(_returns_before(parent, child))
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            break
        child = parent
    return found[::-1]


def _returns_before(parent: ast.AST, child: ast.stmt) -> list[Test]:
    """Returns the conditions of ``if ...: return`` statements before one in the same block."""
    found = []
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and child in block:
            before = [s for s in block[: block.index(child)] if isinstance(s, ast.If)]
            guards = [s for s in before if isinstance(s.body[-1], ast.Return) and not s.orelse]
            found += [Test(guard.test, holds=False) for guard in guards]
    return found


def merged(chains: Iterable[Sequence[Test]]) -> list[Chain]:
    """Returns the ways to a place, without those that together are no condition."""
    ways = list(dict.fromkeys(tuple(chain) for chain in chains))
    for way in ways:
        if way and (*way[:-1], way[-1].opposite) in ways:
            other = (*way[:-1], way[-1].opposite)
            return merged([w for w in ways if w not in (way, other)] + [way[:-1]])
    return ways


def condition_text(module: Module, chains: Sequence[Chain]) -> str:
    """Returns the text of a condition: one of the chains holds."""
    texts = list(dict.fromkeys(_text(module, chain) for chain in chains))
    if len(texts) == 1:
        return texts[0]
    parts = [f"({t})" if len(c) > 1 else t for t, c in zip(texts, chains, strict=False)]
    return " or ".join(parts)


def _text(module: Module, chain: Chain) -> str:
    expression: ast.expr
    tests = [t.expression if t.holds else _negated(t.expression) for t in chain]
    expression = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    if len(chain) == 1 and chain[0].holds:
        source = ast.get_source_segment(module.source.text, chain[0].expression)
        if source and "\n" not in source and "\r" not in source:
            return source
    return ast.unparse(expression)


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(ast.Not(), test)
