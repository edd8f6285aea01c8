"""The towers of a graph: which of their tensors the training step needs, and as what."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tfmigrate.families.native.conversion import Conversion, free_name, refuse
from tfmigrate.families.native_steps.graph import Graph, Kind, assigned, computes_gradients
from tfmigrate.families.native_steps.runs import Run
from tfmigrate.families.native_steps.tower_loop import collected, counts, is_first
from tfmigrate.families.towers.loops import TowerLoop
from tfmigrate.model.edits import Code


@dataclass(frozen=True)
class Collection:
    """A list, or a sum, that a loop over towers makes.

    Attributes:
        name: its variable.
        part: the variable of what one tower adds to it.
        sums: whether it is a sum.
        kind: whether these are tensors or gradients.
        value: the gradients, where the loop gives them no name.
    """

    name: str
    part: str
    sums: bool
    kind: Kind
    value: ast.expr | None = None


@dataclass
class Towers:
    """What is known of the towers of a graph.

    Attributes:
        plan: the conversion.
        graph: the graph.
        loop: the loop.
        collections: what the loop collects.
        starts: the statements that make the empty lists.
        first: tensors that the first tower alone makes, under a condition.
    """

    plan: Conversion
    graph: Graph
    loop: TowerLoop
    collections: list[Collection] = field(default_factory=list)
    starts: list[ast.stmt] = field(default_factory=list)
    first: set[str] = field(default_factory=set)

    @property
    def parameter(self) -> str:
        """The variable of the number of a tower."""
        target = self.loop.loop.target
        if counts(self.loop.loop):
            assert isinstance(target, ast.Name)
            return target.id
        return free_name(self.graph.module, "index", "tower_index")

    def leaves(self, *kinds: Kind) -> list[ast.stmt]:
        """Returns the statements of some kinds in the loop."""
        return [leaf for leaf in self.graph.of(*kinds) if self.graph.in_towers(leaf)]

    def read(self) -> None:
        """Finds what the loop collects, and what the first tower alone computes.

        Raises:
            Refusal: a tower goes on with what the tower before it left.
        """
        graph = self.graph
        for leaf in self.leaves(Kind.COLLECTED):
            self._collection(leaf)
        for leaf in self.leaves(Kind.TENSOR):
            if isinstance(leaf, ast.If) and is_first(self.loop.loop, leaf.test) and not leaf.orelse:
                own = [n for n in assigned(graph.module, leaf) if n in self.loop.shared]
                self.first.update(own)
        for leaf in self.leaves(Kind.VARIABLE, Kind.BATCH, Kind.PLACEHOLDER, Kind.STEP):
            refuse(leaf, "each tower makes its own variable, placeholder or Dataset")

    def check_shared(self) -> None:
        """Refuses names that a tower gives to the one after it.

        Raises:
            Refusal: there is one.
        """
        known = {c.name for c in self.collections} | self.first
        for leaf in self.leaves(*Kind):
            for name in assigned(self.graph.module, leaf):
                carried = name in self.loop.shared and name not in known
                if carried and not self.plan.is_removed(leaf):
                    refuse(leaf, f"a tower reads `{name}` of the tower before it")

    def _collection(self, leaf: ast.stmt) -> None:
        module = self.graph.module
        found = collected(leaf)
        assert found is not None
        name, value = found
        sums = isinstance(leaf, ast.AugAssign)
        if name.id in {c.name for c in self.collections}:
            refuse(leaf, f"`{name.id}` gets several values of a tower")
        if module.parent(leaf) is not self.loop.loop and not isinstance(
            module.parent(leaf), ast.With
        ):
            refuse(leaf, f"`{name.id}` gets values of some towers only")
        self._start(leaf, name, sums)
        kind = self.graph.names[name.id]
        unnamed: ast.expr | None = None
        if isinstance(value, ast.Name) and self.graph.kind_of(value) is kind:
            part = value.id
            self.plan.remove(module, leaf)
        else:
            part = free_name(module, f"{name.id}_of_tower")
            if kind is Kind.GRADIENT:
                self.plan.drop(module, leaf, () if computes_gradients(value) else (value,))
                unnamed = value
            else:
                self.plan.rewrite(module, leaf, Code(f"{part} = {{0}}", (value,)))
        self.collections.append(Collection(name.id, part, sums, kind, unnamed))

    def _start(self, leaf: ast.stmt, name: ast.Name, sums: bool) -> None:
        """Finds the statement that makes an empty list, or a sum of nothing."""
        graph, module = self.graph, self.graph.module
        starts = []
        for other in graph.leaves:
            if graph.in_towers(other) or name.id not in assigned(module, other):
                continue
            if module.position(other) < module.position(leaf):
                starts.append(other)
        if len(starts) != 1 or not all(_is_empty(v, sums) for v in _values(starts[0])):
            refuse(leaf, f"`{name.id}` is not made empty above the loop over towers")
        for node in module.all(ast.Name, self.loop.loop):
            if node.id == name.id and module.statement(node) is not leaf:
                refuse(node, f"`{name.id}` is read in the loop over towers")
        if starts[0] not in self.starts:
            self.starts.append(starts[0])

    def needed(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yields a tensor of a tower, and the statement that makes a name of it, for some names.

        The statements are those of a function in which each tensor has the values of all towers.
        """
        names = list(dict.fromkeys(names))
        for one in self.collections:
            if one.name in names:
                value = f"each_tower({{strategy}}, {one.part})"
                yield one.part, f"{one.name} = {f'sum({value})' if one.sums else value}"
        listed = {one.name for one in self.collections}
        for name in names:
            if name not in listed and self.is_of_tower(name):
                place = "0" if name in self.first else "-1"
                yield name, f"{name} = each_tower({{strategy}}, {name})[{place}]"

    def is_of_tower(self, name: str) -> bool:
        """Says whether a tower computes a tensor, or gradients, of a name."""
        return any(
            name in assigned(self.graph.module, leaf)
            for leaf in self.leaves(Kind.TENSOR, Kind.GRADIENT)
        )


def fetched(runs: Iterable[Run]) -> list[str]:
    """Returns the names that runs fetch."""
    return [n.id for run in runs for n in run.fetches if isinstance(n, ast.Name)]


def _values(statement: ast.stmt) -> list[ast.expr]:
    if not isinstance(statement, ast.Assign):
        return [ast.Constant(None)]
    if isinstance(statement.value, ast.Tuple):
        return statement.value.elts
    return [statement.value]


def _is_empty(value: ast.expr, sums: bool) -> bool:
    if isinstance(value, ast.Constant):
        return sums and value.value == 0 and not isinstance(value.value, bool)
    return isinstance(value, ast.List) and not value.elts and not sums
