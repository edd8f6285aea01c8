"""The conditions that a statement is run under, and their text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.control_flow import Test, conditions_around, within_function
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.settled_values import Settled, calls_of_function

Chain = tuple[Test, ...]
_MAX_WAYS = 64  # into one function, under different conditions
_MAX_CALLS = 2000  # on all paths together


def tests_around(module: Module, node: ast.AST) -> Chain:
    """Returns the conditions that a node is evaluated under within its function, outermost first.

    A branch before it that ends in ``return`` counts as a condition too.

    Raises:
        Refusal: the node is part of an ``and`` or an ``or``.
    """
    if (tests := _tests_around(module, node)) is None:
        raise Refusal(node, "it is an operand of `and` or `or`")
    return tests


@asked_once
def _tests_around(module: Module, node: ast.AST) -> Chain | None:
    function = within_function(module, node)
    if any(isinstance(outer, ast.BoolOp) for outer in function):
        return None
    return tuple(conditions_around(module, node, function))[::-1]


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


def ways(files: Sequence[Module], module: Module, node: ast.AST) -> list[Way]:
    """Returns the ways that lead to a node, each with other conditions or from another start.

    Functions that the files call are followed to their calls; others begin a way. A way that
    leads through a function twice is left out: it holds the conditions of a shorter one.

    Raises:
        Refusal: some call on the way is part of an ``and`` or an ``or``, or there are too many.
    """
    tests = tests_around(module, node)
    modules = (module,) * len(tests)
    function = module.function(node)
    if not isinstance(function, ast.FunctionDef):
        return [Way(tests, modules, function)]
    caller_ways = _ways_into(files, module, function, node)
    more = [Way((*w.chain, *tests), (*w.modules, *modules), w.start) for w in caller_ways]
    return more or [Way(tests, modules, function)]


@dataclass(frozen=True)
class _Call:
    """One call of a function: the enclosing function or module, and its conditions."""

    module: Module
    function: ast.AST
    tests: Chain


def _ways_into(
    files: Sequence[Module], module: Module, function: ast.FunctionDef, node: ast.AST
) -> list[Way]:
    """Returns the paths into a function, through all its callers; [] where it has none."""
    calls = _calls_behind(files, module, function)
    if sum(map(len, calls.values())) > _MAX_CALLS:
        raise Refusal(node, "it is called in too many places")
    called: dict[ast.AST, list[tuple[ast.AST, _Call]]] = {}
    for target, target_calls in calls.items():
        for call in target_calls:
            called.setdefault(call.function, []).append((target, call))
    starts = [f for f in called if not calls.get(f)]
    into: dict[ast.AST, dict[tuple[Chain, ast.AST], Way]] = {}
    waiting = [(start, Way((), (), start), frozenset((start,))) for start in starts]
    while waiting:
        place, way, through = waiting.pop()
        for target, call in called.get(place, ()):
            if target in through:
                continue
            chain, owners = (*way.chain, *call.tests), (call.module,) * len(call.tests)
            known = into.setdefault(target, {})
            if (chain, way.start) in known:
                continue
            if len(known) == _MAX_WAYS:
                raise Refusal(node, "it is reached by too many paths")
            longer = Way(chain, (*way.modules, *owners), way.start)
            known[chain, way.start] = longer
            waiting.append((target, longer, through | {target}))
    return list(into.get(function, {}).values())


def _calls_behind(
    files: Sequence[Module], module: Module, function: ast.FunctionDef
) -> dict[ast.AST, list[_Call]]:
    """Returns the calls of a function, of the functions that they stand in, and so on."""
    calls_by_function: dict[ast.AST, list[_Call]] = {}
    waiting = [(module, function)]
    count = 0
    while waiting and count <= _MAX_CALLS:
        owner, target = waiting.pop()
        if target in calls_by_function:
            continue
        calls_by_function[target] = _calls_of(owner, target, tuple(files))
        count += len(calls_by_function[target])
        waiting += [
            (call.module, call.function)
            for call in calls_by_function[target]
            if isinstance(call.function, ast.FunctionDef) and call.function not in calls_by_function
        ]
    return calls_by_function


@asked_once
def _calls_of(owner: Module, function: ast.FunctionDef, files: tuple[Module, ...]) -> list[_Call]:
    """Returns the calls of a function in files, except recursive ones; equal ones once."""
    others = {m.source.path.stem for m in files} - {owner.source.path.stem}
    calls = [
        _Call(caller, around, tests_around(caller, call))
        for caller in files
        for call in calls_of_function(owner, function, caller)
        if (around := caller.function(call)) is not function
        # `train.run()` does not call the function `run` of another file.
        if not others & set((caller.resolve(call.func) or "").split(".")[-2:-1])
    ]
    return list(dict.fromkeys(calls))


def merged(chains: Iterable[Chain]) -> list[Chain]:
    """Returns the paths to a place, without those that together are no condition."""
    left = list(dict.fromkeys(chains))
    for chain in left:
        if chain and (*chain[:-1], chain[-1].opposite) in left:
            other = (*chain[:-1], chain[-1].opposite)
            return merged([c for c in left if c not in (chain, other)] + [chain[:-1]])
    return [c for c in left if not any(c[:i] in left for i in range(len(c)))]


def condition(chains: Sequence[Chain]) -> ast.expr:
    """Returns the condition that one of the chains holds."""
    options = {ast.unparse(conjunction): conjunction for conjunction in map(_conjunction, chains)}
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
        Refusal: it may have another value there.
    """
    asked = condition(chains)
    for chain in chains:
        for test in chain:
            settled.check(test.expression)
    new = settled.carried(asked, site)
    if new is asked and hasattr(asked, "lineno") and asked.lineno == asked.end_lineno:
        return settled.module.code(asked)
    return ast.unparse(new)
