"""Tensors that are made below the session become functions in the same lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from tfmigrate.families.native.conversion import refuse
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.syntax import is_text

_BLOCKS = (ast.With, ast.If, ast.Try)


@dataclass
class Late:
    """Consecutive statements below the end of a graph that only make tensors.

    Attributes:
        leaves: the statements.
        names: what they assign.
        reads: the tensors of the model, and of other groups, that they read.
        function: the name of the function that they become.
        results: what it returns.
        parameters: the placeholders that it is given.
        begins: the statements that it begins with.
    """

    leaves: list[ast.stmt]
    names: list[str]
    reads: list[str]
    function: str = ""
    results: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    begins: list[str] = field(default_factory=list)


def find_late(graph: Graph, runs: Sequence[ast.Call]) -> list[Late]:
    """Returns the groups of statements that runs need, and notes the names of their tensors."""
    candidates = [
        *_evaluating(graph, runs),
        *_groups(graph, _below(graph, graph.home.body, False)),
    ]
    wanted = {
        node.id
        for call in runs
        for node in ast.walk(argument(call, 0, "fetches") or call)
        if isinstance(node, ast.Name) and graph.kind_of(node) in (Kind.PLAIN, Kind.LATE)
    }
    found: list[Late] = []
    parts = [part for candidate in candidates for part in _parts(graph, candidate, runs)]
    for group in reversed(parts):
        names = [name for leaf in group for name in graph.assigned(leaf)]
        if wanted.isdisjoint(names):
            for name in names:
                graph.names.pop(name, None)
            continue
        found.insert(0, Late(group, list(dict.fromkeys(names)), []))
        wanted |= _read(graph, group)
    for late in found:
        late.reads = [
            name
            for name in sorted(_read(graph, late.leaves) - set(late.names))
            if graph.names.get(name) in (Kind.TENSOR, Kind.LATE)
        ]
        _check_names(graph, late)
    return found


def fed(call: ast.Call) -> set[str] | None:
    """Returns the names that a run feeds; None where a variable holds what it feeds."""
    given = argument(call, 1, "feed_dict")
    if given is not None and not isinstance(given, ast.Dict):
        return None
    keys = given.keys if given is not None else []
    return {key.id for key in keys if isinstance(key, ast.Name)}


def _fetched(call: ast.Call) -> set[str]:
    place = argument(call, 0, "fetches") or call
    return {node.id for node in ast.walk(place) if isinstance(node, ast.Name)}


def _evaluating(graph: Graph, runs: Sequence[ast.Call]) -> list[list[ast.stmt]]:
    """Takes the statements below the training operation out of the model, where runs feed less."""
    made = graph.of(Kind.TRAINING)
    if len(made) != 1:
        return []
    operation = set(graph.assigned(made[0]))
    start = graph.module.position(made[0])
    leaves = [leaf for leaf in graph.of(Kind.TENSOR) if graph.module.position(leaf) > start]
    names = {name for leaf in leaves for name in graph.assigned(leaf)}
    above = [leaf for leaf in graph.of(Kind.TENSOR) if leaf not in leaves]
    before = {name for leaf in above for name in graph.assigned(leaf)}
    trained = [call for call in runs if _fetched(call) & operation]
    every = {name for call in trained for name in fed(call) or set()}
    feeds = [fed(call) for call in runs if call not in trained and _fetched(call) & names]
    if all(given is None or every <= given for given in feeds) or names & before:
        return []
    if any(_fetched(call) & names for call in trained):
        return []
    groups: list[list[ast.stmt]] = []
    for leaf in leaves:
        if not isinstance(leaf, ast.Assign) and leaf not in graph.added:
            return []
        above_it = groups[-1][-1] if groups else None
        if above_it is not None and _follows(graph, above_it, leaf):
            groups[-1].append(leaf)
        else:
            groups.append([leaf])
    for leaf in leaves:
        graph.kinds[leaf] = Kind.LATE
        for name in graph.assigned(leaf):
            graph.names[name] = Kind.LATE
    return groups


def _follows(graph: Graph, above: ast.stmt, below: ast.stmt) -> bool:
    """Says whether two statements follow each other in one block."""
    for _, block in ast.iter_fields(graph.module.parent(above)):
        if isinstance(block, list) and above in block:
            return below in block and block.index(below) == block.index(above) + 1
    return False


def _parts(
    graph: Graph, group: list[ast.stmt], runs: Sequence[ast.Call]
) -> Iterator[list[ast.stmt]]:
    """Yields a group, in parts that need the same placeholders where a run does not feed all."""
    needs = {n: {n} for n, kind in graph.names.items() if kind is Kind.PLACEHOLDER}
    for leaf in graph.of(Kind.TENSOR):
        need(graph, leaf, needs)
    held = [need(graph, leaf, needs) for leaf in group]
    names = {name for leaf in group for name in graph.assigned(leaf)}
    every = set[str]().union(*held)
    feeds = [fed(call) for call in runs if _fetched(call) & names]
    if all(given is None or every <= given for given in feeds):
        yield group
        return
    start = 0
    for place in range(1, len(group) + 1):
        if place == len(group) or held[place] != held[start]:
            yield group[start:place]
            start = place


def need(graph: Graph, leaf: ast.stmt, needs: dict[str, set[str]]) -> set[str]:
    """Returns the placeholders that a statement needs, and notes them for what it assigns."""
    held = set[str]()
    for node in graph.module.walk(leaf):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and graph.is_here(node):
            held |= needs.get(node.id, set())
    for name in graph.implied.get(leaf, ()):
        held |= needs.get(name, set())
    for name in graph.assigned(leaf):
        needs[name] = held
    return held


def _below(graph: Graph, block: Sequence[ast.stmt], below: bool) -> Iterator[list[ast.stmt]]:
    """Yields the blocks of statements below the end of a graph, without those of loops."""
    rest: list[ast.stmt] = []
    for statement in block:
        holds = any(node is graph.end for node in graph.module.walk(statement))
        if below and not holds:
            rest.append(statement)
        elif holds:
            if isinstance(statement, _BLOCKS):
                inside = statement is graph.session
                for name in ("body", "orelse", "finalbody"):
                    yield from _below(graph, getattr(statement, name, []), inside)
            below = True
    yield rest


def _groups(graph: Graph, blocks: Iterator[list[ast.stmt]]) -> Iterator[list[ast.stmt]]:
    """Yields consecutive statements that make tensors."""
    for block in blocks:
        group: list[ast.stmt] = []
        for statement in block:
            if _makes(graph, statement):
                for name in graph.assigned(statement):
                    graph.names[name] = Kind.LATE
                group.append(statement)
            elif not (group and is_text(statement)):
                if group:
                    yield group
                group = []
        if group:
            yield group


def _makes(graph: Graph, statement: ast.stmt) -> bool:
    """Says whether a statement makes tensors, under names of its own."""
    if not isinstance(statement, ast.Assign) or graph.uses_session(statement):
        return False
    if graph.kind_of_statement(statement) is not Kind.TENSOR:
        return False
    names = graph.assigned(statement)
    return bool(names) and all(graph.names.get(n) in (None, Kind.LATE) for n in names)


def _read(graph: Graph, group: Sequence[ast.stmt]) -> Set[str]:
    own = {
        node.id
        for leaf in group
        for node in graph.module.walk(leaf)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and graph.is_here(node)
    }
    return own | {name for leaf in group for name in graph.implied.get(leaf, ())}


def _check_names(graph: Graph, late: Late) -> None:
    """Refuses names that have another value where the function is called than in the graph."""
    inside = {node for leaf in late.leaves for node in graph.module.walk(leaf)}
    own = set(late.names)
    read = _read(graph, late.leaves)
    first = graph.module.position(late.leaves[0])
    for node in graph.module.all(ast.Name, graph.home):
        if node in inside or not isinstance(node.ctx, ast.Store) or not graph.is_here(node):
            continue
        if node.id in own or (node.id in read and graph.module.position(node) > first):
            refuse(node, f"`{node.id}` of the graph is set anew")
