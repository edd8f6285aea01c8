"""The functions that replace a graph and the runs of its session."""

from __future__ import annotations

import ast
from collections.abc import Sequence
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

    def definitions(self) -> list[str]:
        """Returns the code of the functions, one level of indentation as a tab."""
        signature = f"(input_signature=[{self.given}])" if not self.batches else ""
        loss = self.training.loss
        tensors = [n for n in self.train_results if self.graph.names.get(n) is not Kind.STEP]
        lines = [
            f"@tf.function{signature}",
            f"def {self.train_step}({self.given}):",
            "\twith tf.GradientTape() as tape:",
            f"\t\t{self._called([loss, *tensors])}",
            f"\tgradients = tape.gradient({loss}, {self.trained})",
            f"\t{self.optimizer}.apply_gradients(zip(gradients, {self.trained}))",
        ]
        if self.train_results:
            lines.append(f"\treturn {self.returned(self.train_results)}")
        functions = ["\n".join(lines)]
        for names, function in self.others.items():
            tensors = [n for n in names if self.graph.names.get(n) is not Kind.STEP]
            lines = [
                f"@tf.function{signature}",
                f"def {function}({self.given}):",
                f"\t{self._called(tensors)}",
                f"\treturn {self.returned(names)}",
            ]
            functions.append("\n".join(lines))
        return functions


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


def in_indentation(module: Module, text: str) -> Code:
    """Returns code in which a tab is one level of the file's indentation."""
    text = text.replace("\t", indentation_of(module))
    return Code(text.replace("{", "{{").replace("}", "}}") if "{" in text else text)


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
