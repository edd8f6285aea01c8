"""The code of the training step of towers, and of the functions that compute without training."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tfmigrate.families.native.conversion import free_name, refuse
from tfmigrate.families.native_steps.graph import Kind, assigned
from tfmigrate.families.native_steps.steps import Steps
from tfmigrate.families.native_steps.towers import Towers
from tfmigrate.model.edits import Code


@dataclass
class TowerSteps(Steps):
    """The functions of a graph with towers.

    Attributes:
        towers: what is known of the towers.
        moved: the statements that become part of functions.
        below: those below the loop.
        read: the names that these read, and those that a training step returns.
    """

    towers: Towers = field(kw_only=True)
    moved: list[ast.stmt] = field(default_factory=list)
    below: list[ast.stmt] = field(default_factory=list)
    read: list[str] = field(default_factory=list)

    @property
    def indices(self) -> str:
        """The variable of the numbers of all towers."""
        return free_name(self.graph.module, "tower_indices", "indices_of_towers")

    @property
    def of_tower(self) -> str:
        """The parameters of a tower."""
        return ", ".join([self.towers.parameter, *self.parameters])

    @property
    def decorator(self) -> str:
        """The line above a function."""
        specified = self.given and not self.batches
        return f"@tf.function(input_signature=[{self.given}])" if specified else "@tf.function"

    def read_below(self, below: Sequence[ast.stmt], wanted: Sequence[str]) -> None:
        """Finds what the towers return: what is read below their loop, or fetched."""
        self.below = list(below)
        made_below: set[str] = set()
        self.read = []
        for leaf in below:
            self.read += [name for name in self._names_read([leaf]) if name not in made_below]
            if isinstance(leaf, ast.Assign):
                made_below.update(assigned(self.graph.module, leaf))
        self.read += [name for name in self.train_results if name not in made_below]
        tensors = [name for name, _ in self.towers.needed([*self.read, *wanted])]
        made = [
            name
            for leaf in (*self.towers.leaves(Kind.TENSOR), *self._above())
            for name in assigned(self.graph.module, leaf)
        ]
        made += [c.part for c in self.towers.collections if c.kind is Kind.TENSOR]
        own = self._names_read(self.towers.leaves(Kind.GRADIENT))
        needed = {self.training.loss, *tensors, *own}
        self.results = [name for name in dict.fromkeys(made) if name in needed]

    def _above(self) -> list[ast.stmt]:
        """Returns the statements of tensors above the loop, which are part of each tower."""
        position = self.graph.module.position
        start = position(self.towers.loop.loop)
        return [leaf for leaf in self.graph.of(Kind.TENSOR) if position(leaf) < start]

    def stays(self, leaf: ast.stmt, below: Sequence[ast.stmt]) -> bool:
        """Says whether only statements below the loop use the names of a plain one."""
        module, names = self.graph.module, assigned(self.graph.module, leaf)
        if self.graph.plan.is_removed(leaf):
            return False
        inside = {node for other in (*below, leaf) for node in module.walk(other)}
        used = [
            node
            for node in module.all(ast.Name, self.graph.home)
            if node.id in names and self.graph.is_here(node)
            if not self.graph.plan.is_removed(node)
        ]
        late = module.position(leaf) > module.position(self.towers.loop.loop)
        value = leaf.value if isinstance(leaf, ast.Assign) else None
        empty = isinstance(value, ast.List) and not value.elts
        return len(used) > len(names) and all(n in inside for n in used) and (late or empty)

    def begins(self) -> Iterator[Code]:
        """Yields the statements of a training step above those of the program."""
        needed = list(self.towers.needed(self.read))
        yield self._tower_step(list(dict.fromkeys(name for name, _ in needed)))
        yield from self._ran(needed, "tower_step", (self.indices,))

    def updates(self) -> Iterator[Code]:
        """Yields the statements that apply the gradients, and update moving averages."""
        assert self.training.applied is not None
        arguments = (self.strategy, self.optimizer, "{0}")
        yield Code("apply_averaged", (self.training.applied,), arguments)
        for update in self._averaged():
            yield Code(f"with {self.strategy}.scope():\n\t{update}")

    def evaluations(self) -> Iterator[Code]:
        """Yields the functions that compute without training."""
        for names, function in self.others.items():
            lines = [self.decorator, f"def {function}({self.given}):"]
            below, parts = self._computed_below(names)
            read = [*names, *self._names_read(below)]
            codes = list(self._ran(list(self.towers.needed(read)), self.model, self._all))
            lines += [f"\t{line}" for code in codes for line in code.template.split("\n")]
            for leaf in below:
                if not isinstance(leaf, ast.Assign):
                    refuse(leaf, "a run that does not train computes what is below the towers")
                lines.append(f"\t{ast.unparse(leaf.targets[0])} = {{{len(parts)}}}")
                parts.append(leaf.value)
            lines.append(f"\treturn {self.returned(names)}")
            yield Code("\n".join(lines), tuple(parts))

    @property
    def _all(self) -> tuple[str, ...]:
        return (self.indices, *self.parameters)

    def _computed_below(self, names: Sequence[str]) -> tuple[list[ast.stmt], list[ast.expr]]:
        """Returns the statements below the loop that compute some names."""
        wanted, found = set(names), []
        for leaf in reversed(self.below):
            if wanted & set(assigned(self.graph.module, leaf)):
                found.append(leaf)
                wanted.update(self._names_read([leaf]))
        return found[::-1], []

    def _ran(
        self, needed: Sequence[tuple[str, str]], function: str, arguments: Sequence[str]
    ) -> Iterator[Code]:
        """Yields the run of a function by all replicas, and the names that its results get."""
        returned = list(dict.fromkeys(name for name, _ in needed))
        if function == self.model:
            targets = [name if name in returned else "_" for name in self.results]
        else:
            targets = returned
        comma = "," if len(arguments) == 1 else ""
        call = f"{self.strategy}.run({function}, args=({', '.join(arguments)}{comma}))"
        yield Code(f"{', '.join(targets)} = {call}" if targets else call)
        for _, text in needed:
            yield Code(text.replace("{strategy}", self.strategy))

    def _tower_step(self, returned: Sequence[str]) -> Code:
        """Returns the function of the step of one tower."""
        loss = self.training.loss
        wanted = {loss, *returned, *self._names_read(self.towers.leaves(Kind.GRADIENT))}
        targets = [name if name in wanted else "_" for name in self.results]
        lines = [
            f"def tower_step({self.towers.parameter}):",
            "\twith tf.GradientTape() as tape:",
            f"\t\t{', '.join(targets)} = {self.model}({self.of_tower})",
        ]
        parts: list[ast.expr] = []
        computed = f"list(zip(tape.gradient({loss}, {self.trained}), {self.trained}))"
        for leaf in self.towers.leaves(Kind.GRADIENT):
            assert isinstance(leaf, ast.Assign)
            target = ast.unparse(leaf.targets[0]).strip("()")
            if leaf.value is self.training.computed:
                lines.append(f"\t{target} = {computed}")
            else:
                lines.append(f"\t{target} = {{{len(parts)}}}")
                parts.append(leaf.value)
        for one in self.towers.collections:
            if one.value is self.training.computed:
                lines.append(f"\t{one.part} = {computed}")
            elif one.value is not None:
                lines.append(f"\t{one.part} = {{{len(parts)}}}")
                parts.append(one.value)
        lines.append(f"\treturn {', '.join(returned)}")
        return Code("\n".join(lines), tuple(parts))

    def _names_read(self, statements: Sequence[ast.stmt]) -> list[str]:
        """Returns the names of the graph that statements read."""
        return [
            node.id
            for statement in statements
            for node in self.graph.module.walk(statement)
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and self.graph.kind_of(node) in (Kind.TENSOR, Kind.GRADIENT)
        ]
