"""The conditions that a statement is run under, and their text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tfmigrate.module import Module
from tfmigrate.settled_values import CannotTell, Settled, calls_of_function


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


@dataclass(frozen=True)
class Way:
    """One way that leads to a place.

    Attributes:
        chain: the conditions on it.
        modules: the file of each.
        start: the function that it begins in, which no file calls; else a module.
    """

    chain: Chain
    modules: tuple[Module, ...]
    start: ast.AST


def ways(
    files: Sequence[Module], module: Module, node: ast.AST, seen: frozenset[ast.AST] = frozenset()
) -> list[Way]:
    """Returns all ways that lead to a node.

    Functions that the files call are followed to their calls; others begin a way.

    Args:
        files: the files of the program.
        module: that of the node.
        node: the place.
        seen: functions that the way leads through already.

    Raises:
        CannotTell: the node is part of an ``and`` or an ``or``.
    """
    tests = tuple(tests_around(module, node))
    modules = (module,) * len(tests)
    function = module.function(node)
    if not isinstance(function, ast.FunctionDef) or function in seen:
        return [Way(tests, modules, function)]
    found = [
        Way((*way.chain, *tests), (*way.modules, *modules), way.start)
        for caller in files
        for call in calls_of_function(module, function, caller)
        if caller is not module or module.function(call) is not function
        for way in ways(files, caller, call, seen | {function})
    ]
    return found or [Way(tests, modules, function)]


def merged(chains: Iterable[Chain]) -> list[Chain]:
    """Returns the ways to a place, without those that together are no condition."""
    left = list(dict.fromkeys(chains))
    for chain in left:
        if chain and (*chain[:-1], chain[-1].opposite) in left:
            other = (*chain[:-1], chain[-1].opposite)
            return merged([c for c in left if c not in (chain, other)] + [chain[:-1]])
    return [c for c in left if not any(c[:i] in left for i in range(len(c)))]


def condition(chains: Sequence[Chain]) -> ast.expr:
    """Returns the condition that one of the chains holds."""
    options = {ast.unparse(found): found for found in map(_conjunction, chains)}
    values = list(options.values())
    return values[0] if len(values) == 1 else ast.BoolOp(ast.Or(), values)


def _conjunction(chain: Chain) -> ast.expr:
    tests = [t.expression if t.holds else _negated(t.expression) for t in chain]
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(ast.Not(), test)


def carried_text(settled: Settled, chains: Sequence[Chain], site: ast.AST) -> str:
    """Returns the text of a condition as it can be asked at a site.

    Raises:
        CannotTell: it may have another value there.
    """
    asked = condition(chains)
    for chain in chains:
        for test in chain:
            settled.check(test.expression)
    new = settled.carried(asked, site)
    source = settled.module.source.text
    if new is asked and hasattr(asked, "lineno") and asked.lineno == asked.end_lineno:
        return ast.get_source_segment(source, asked) or ast.unparse(asked)
    return ast.unparse(new)
