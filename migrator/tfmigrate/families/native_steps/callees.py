"""The functions that do what runs do: the step, those of the model, and those below it."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from tfmigrate.families.native.conversion import refuse
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.late import Late, need
from tfmigrate.families.native_steps.runs import Run


@dataclass(frozen=True)
class Callee:
    """A function that does what a run does.

    Attributes:
        name: of the function.
        parameters: the placeholders that it is given.
        returned: the names of the tensors that it returns, in order.
    """

    name: str
    parameters: Sequence[str]
    returned: Sequence[str]


@dataclass
class Early:
    """The first statements of a graph, which read some of the placeholders only.

    Attributes:
        parameters: these placeholders.
        first: the first statement of the others.
        names: the tensors that have their values before it.
        results: those of them that are returned.
        function: the name of the function that they become.
    """

    parameters: list[str]
    first: ast.stmt
    names: list[str]
    results: list[str] = field(default_factory=list)
    function: str = ""

    def kept(self, names: Sequence[str]) -> list[str]:
        """Returns those of some tensors that this part makes."""
        return [name for name in names if name in self.names]


def find_early(
    graph: Graph, runs: Sequence[Run], parameters: Sequence[str], late: Sequence[Late]
) -> Early | None:
    """Returns the part of a graph that runs need that feed some of the placeholders only."""
    partial = [
        run
        for run in runs
        if not run.trains
        and not run.initializes
        and not set(parameters) <= set(run.feeds)
        and any(_kind(graph, name) is Kind.TENSOR for name in _closure(names_of(run), late))
    ]
    if not partial:
        return None
    given = set(partial[0].feeds)
    for run in partial[1:]:
        given &= set(run.feeds)
    needs: dict[str, set[str]] = {name: {name} for name in parameters}
    tensors = graph.of(Kind.TENSOR)
    place = 0
    for leaf in tensors:
        if not need(graph, leaf, needs) <= given:
            break
        place += 1
    if place in (0, len(tensors)):
        return None
    before = [name for leaf in tensors[:place] for name in graph.assigned(leaf)]
    after = {name for leaf in tensors[place:] for name in graph.assigned(leaf)}
    names = [name for name in dict.fromkeys(before) if name not in after]
    order = [name for name in parameters if name in given]
    early = Early(order, tensors[place], names)
    read = {
        node.id
        for leaf in tensors[place:]
        for node in graph.module.walk(leaf)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and graph.is_here(node)
    }
    read |= {name for leaf in tensors[place:] for name in graph.implied.get(leaf, ())}
    early.results = [name for name in dict.fromkeys(before) if name in read]
    for run in partial:
        wanted = _closure(names_of(run), late)
        if not all(n in names for n in wanted if _kind(graph, n) is Kind.TENSOR):
            return None
        early.results += [n for n in names if n in wanted and n not in early.results]
    return early


def names_of(run: Run) -> list[str]:
    """Returns the names of what a run fetches."""
    return [node.id for node in run.fetches if isinstance(node, ast.Name)]


def late_of(graph: Graph, run: Run, late: Sequence[Late]) -> Late | None:
    """Returns the group below the session that a run fetches from.

    Raises:
        Refusal: it trains, too, or fetches from several.
    """
    names = names_of(run)
    found = [group for group in late if not set(group.names).isdisjoint(names)]
    if not found:
        return None
    if run.trains:
        refuse(run.call, f"`{found[0].names[0]}` is made below the session, and fetched by a step")
    if len(found) > 1:
        refuse(run.call, "a run that fetches tensors that are made at different places")
    group = found[0]
    group.reads += [n for n in names if _kind(graph, n) is Kind.TENSOR and n not in group.reads]
    group.results += [n for n in names if n not in group.results]
    return group


def _closure(names: Sequence[str], late: Sequence[Late]) -> Set[str]:
    """Returns some names and those that groups below the session read for them."""
    found, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for group in late:
            if name in group.names:
                waiting += group.reads
    return found


def _kind(graph: Graph, name: str) -> Kind:
    return graph.names.get(name, Kind.PLAIN)
