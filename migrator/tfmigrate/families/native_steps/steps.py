"""The functions that replace a graph and the runs of its session."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tfmigrate.families.native.conversion import Conversion, refuse
from tfmigrate.families.native_steps.graph import Graph, Kind, assigned
from tfmigrate.families.native_steps.runs import Run
from tfmigrate.families.native_steps.training import Training
from tfmigrate.model.edits import Code
from tfmigrate.resolve.module import Module
from tfmigrate.rulekit.added_definition import indentation_of


@dataclass
class Steps:
    """The functions of one graph.

    Attributes:
        graph: the graph.
        training: its training operation.
        optimizer: the name of the optimizer.
        model: the name of the function that computes the tensors.
        train_step: the name of the function that trains.
        parameters: what both are given.
        batches: the name of the iterator that gives it; "" for placeholders.
        results: the tensors that the model returns, the loss among them.
        train_results: what a training step returns; a name of the step stands for itself.
        others: the functions that compute without training, by what they return.
        trained: the code of the list of variables.
        strategy: the name of the strategy; "" for none.
    """

    graph: Graph
    training: Training
    optimizer: str
    model: str
    train_step: str
    parameters: list[str]
    batches: str = ""
    results: list[str] = field(default_factory=list)
    train_results: list[str] = field(default_factory=list)
    others: dict[tuple[str, ...], str] = field(default_factory=dict)
    trained: str = "trainable_variables"
    strategy: str = ""

    @property
    def given(self) -> str:
        """The parameters, as they are written in a definition or a call."""
        return ", ".join(self.parameters)

    def value(self, name: str) -> str:
        """Returns the code of something that is fetched, in a function."""
        kind = self.graph.names.get(name)
        return f"{self.optimizer}.iterations" if kind is Kind.STEP else name

    def returned(self, names: Sequence[str]) -> str:
        """Returns the code of some results of a function."""
        return ", ".join(self.value(name) for name in names)

    def _called(self, wanted: Sequence[str]) -> str:
        """Returns the statement that calls the model."""
        targets = [name if name in wanted else "_" for name in self.results]
        return f"{', '.join(targets)} = {self.model}({self.given})"

    def definitions(self) -> Iterator[Code]:
        """Yields the code of the functions, one level of indentation as a tab."""
        specified = self.given and not self.batches
        signature = f"(input_signature=[{self.given}])" if specified else ""
        head = [f"@tf.function{signature}", f"def {self.train_step}({self.given}):"]
        tensors = [n for n in self.train_results if self._kind(n) is not Kind.STEP]
        lines, parts = self._step_lines(tensors)
        if not self.strategy:
            lines += self._return(self.train_results)
            yield Code("\n".join(head + [f"\t{line}" for line in lines]), tuple(parts))
        else:
            inner = free_name(self.graph.module, "replica_step", "step_of_replica")
            lines += self._return(tensors)
            lines = [f"def {inner}({self.given}):", *(f"\t{line}" for line in lines), ""]
            comma = "," if len(self.parameters) == 1 else ""
            run = f"{self.strategy}.run({inner}, args=({self.given}{comma}))"
            local = f"{self.strategy}.experimental_local_results"
            if len(tensors) == 1:
                lines.append(f"{tensors[0]} = {local}({run})[0]")
            elif tensors:
                lines.append(f"results = {run}")
                values = f"[{local}(result)[0] for result in results]"
                lines.append(f"{', '.join(tensors)} = {values}")
            else:
                lines.append(run)
            lines += self._return(self.train_results)
            text = "\n".join(head + [f"\t{line}" if line else "" for line in lines])
            yield Code(text, tuple(parts))
        for names, function in self.others.items():
            wanted = [n for n in names if self._kind(n) is not Kind.STEP]
            lines = [
                f"@tf.function{signature}",
                f"def {function}({self.given}):",
                f"\t{self._called(wanted)}",
                f"\treturn {self.returned(names)}",
            ]
            yield Code("\n".join(lines))

    def _kind(self, name: str) -> Kind:
        return self.graph.names.get(name, Kind.PLAIN)

    def _return(self, names: Sequence[str]) -> list[str]:
        return [f"return {self.returned(names)}"] if names else []

    def _step_lines(self, tensors: Sequence[str]) -> tuple[list[str], list[ast.expr]]:
        """Returns the lines of a step on one replica, and the expressions in them."""
        loss, trained = self.training.loss, self.trained
        lines = [
            "with tf.GradientTape() as tape:",
            f"\t{self._called([loss, *tensors])}",
        ]
        parts: list[ast.expr] = []
        count = f"{self.strategy}.num_replicas_in_sync"
        if self.training.applied is None:
            lines.append(f"gradients = tape.gradient({loss}, {trained})")
            if self.strategy:
                lines.append("# apply_gradients adds up those of all workers")
                lines.append(f"gradients = [gradient / {count} for gradient in gradients]")
            lines.append(f"{self.optimizer}.apply_gradients(zip(gradients, {trained}))")
            return lines, parts
        for leaf in self.graph.of(Kind.GRADIENT):
            assert isinstance(leaf, ast.Assign)
            target = ast.unparse(leaf.targets[0]).strip("()")
            if leaf.value is self.training.computed:
                lines.append(f"{target} = list(zip(tape.gradient({loss}, {trained}), {trained}))")
            else:
                lines.append(f"{target} = {{{len(parts)}}}")
                parts.append(leaf.value)
        applied = f"{{{len(parts)}}}"
        parts.append(self.training.applied)
        if self.strategy:
            lines.append("# apply_gradients adds up those of all workers")
            lines.append("averaged = [")
            lines.append(f"\t(gradient / {count}, variable) for gradient, variable in {applied}]")
            applied = "averaged"
        lines.append(f"{self.optimizer}.apply_gradients({applied})")
        return lines, parts


def free_name(module: Module, *wanted: str) -> str:
    """Returns the first name that a file does not use."""
    taken = {n.id for n in module.all(ast.Name)} | {a.arg for a in module.all(ast.arg)}
    taken |= {f.name for f in module.all(ast.FunctionDef)}
    for name in wanted:
        if name not in taken:
            return name
    number = 2
    while f"{wanted[-1]}_{number}" in taken:
        number += 1
    return f"{wanted[-1]}_{number}"


def name_functions(steps: Steps, runs: Sequence[Run]) -> None:
    """Collects what the functions return, and names those that do not train."""
    graph, module = steps.graph, steps.graph.module
    wanted: list[str] = []
    lists: list[tuple[str, ...]] = []
    for run in runs:
        names = tuple(n.id for n in run.fetches if isinstance(n, ast.Name))
        if run.trains:
            steps.train_results += [n for n in names if n not in steps.train_results]
        tensors = [n for n in names if graph.names.get(n) is Kind.TENSOR]
        wanted += tensors
        if not run.trains and tensors and names not in lists:
            lists.append(names)
    order = [name for leaf in graph.of(Kind.TENSOR) for name in assigned(module, leaf)]
    order = list(dict.fromkeys(order))
    steps.results = [n for n in order if n in {steps.training.loss, *wanted}]
    for names in lists:
        alone = len(lists) == 1
        name = "evaluate" if alone else f"compute_{'_and_'.join(names)}"
        steps.others[names] = free_name(module, name)


def model_results(steps: Steps) -> str:
    """Returns the statement that ends the model."""
    return f"return {', '.join(steps.results)}"


def in_indentation(module: Module, code: Code) -> Code:
    """Returns code in which a tab is one level of the file's indentation."""
    return Code(code.template.replace("\t", indentation_of(module)), code.parts)


def check_reads(graph: Graph, plan: Conversion, inside: set[ast.AST], names: set[str]) -> None:
    """Refuses names that a function assigns and that other code reads.

    Raises:
        Refusal: some code does.
    """
    for node in graph.module.all(ast.Name):
        if node.id not in names or node in inside or not isinstance(node.ctx, ast.Load):
            continue
        if graph.is_here(node) and not plan.is_removed(node):
            refuse(node, f"`{node.id}` is a tensor, and is used outside of `run`")
