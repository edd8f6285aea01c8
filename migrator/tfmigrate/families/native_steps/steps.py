"""The functions that replace a graph and the runs of its session."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tfmigrate.families.native.conversion import (
    Conversion,
    free_name,
    refuse,
)
from tfmigrate.families.native_steps.batch_iterator import Batches
from tfmigrate.families.native_steps.callees import Callee, Early, late_of, names_of
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.late import Late
from tfmigrate.families.native_steps.runs import Run
from tfmigrate.families.native_steps.training import Averages, Training
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
        batches: the iterator that gives it; None for placeholders.
        fetched: the iterator of batches that the program fetches, and feeds; None for none.
        results: the tensors that the model returns, the loss among them.
        train_results: what a training step returns; a name of the step stands for itself.
        others: the functions that compute without training, by what they return.
        trained: the code of the list of variables.
        strategy: the code of the strategy; "" for none.
        workers: the name of what lets asynchronous workers make steps; "" for none.
        index: the name of the index of such a worker.
        sparse: whether gradients of rows are averaged over several workers.
        early: the part of the model that reads some of the placeholders only; None for none.
        late: the groups of statements below the session that compute.
        callees: the functions that do what runs do.
        averages: the moving averages that a training step updates; None for none.
        model_begins: the statements that the model begins with.
        counts: whether tensors are computed of the global step.
    """

    graph: Graph
    training: Training
    optimizer: str
    model: str
    train_step: str
    parameters: list[str]
    batches: Batches | None = None
    fetched: Batches | None = None
    results: list[str] = field(default_factory=list)
    train_results: list[str] = field(default_factory=list)
    others: dict[tuple[str, ...], str] = field(default_factory=dict)
    trained: str = "trainable_variables"
    strategy: str = ""
    workers: str = ""
    index: str = ""
    sparse: bool = False
    early: Early | None = None
    late: list[Late] = field(default_factory=list)
    callees: dict[ast.Call, Callee] = field(default_factory=dict)
    averages: Averages | None = None
    model_begins: list[Code] = field(default_factory=list)
    counts: bool = False

    @property
    def given(self) -> str:
        """The parameters, as they are written in a definition or a call."""
        return ", ".join(self.parameters)

    @property
    def saved(self) -> str:
        """The code of the list of variables that checkpoints have."""
        if self.averages is None:
            return self.trained
        return f"[*{self.trained}, *{self.averages.values}]"

    def value(self, name: str) -> str:
        """Returns the code of something that is fetched, in a function."""
        kind = self.graph.names.get(name)
        return f"{self.optimizer}.iterations" if kind is Kind.STEP else name

    def returned(self, names: Sequence[str]) -> str:
        """Returns the code of some results of a function."""
        return ", ".join(self.value(name) for name in names)

    def _called(self, wanted: Sequence[str]) -> str:
        """Returns the statement that calls the model."""
        return _taking(wanted, self.results, f"{self.model}({self.given})")

    def beginning_of(self, group: Late) -> Iterator[str]:
        """Yields the statements that a function below the session begins with."""
        tensors = [n for n in group.reads if self._kind(n) is Kind.TENSOR]
        if self.reads_early(group) and self.early is not None and tensors:
            given = ", ".join(self.early.parameters)
            yield _taking(tensors, self.early.results, f"{self.early.function}({given})")
        elif tensors:
            yield self._called(tensors)
        for other in self.late:
            names = [n for n in group.reads if n in other.names]
            if names and other is not group:
                call = f"{other.function}({', '.join(other.parameters)})"
                yield _taking(names, other.results, call)

    def reads_early(self, group: Late) -> bool:
        """Says whether a group needs nothing of the model but its first part."""
        return self.early is not None and all(
            name in self.early.names for name in group.reads if self._kind(name) is Kind.TENSOR
        )

    def definitions(self) -> Iterator[Code]:
        """Yields the code of the functions, one level of indentation as a tab."""
        specified = self.given and not self.batches
        signature = f"(input_signature=[{self.given}])" if specified else ""
        on_worker = [f"@{self.workers}.step"] if self.workers else []
        head = [*on_worker, f"@tf.function{signature}", f"def {self.train_step}({self.given}):"]
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
            if tensors and self.workers:
                lines.append(f"{', '.join(tensors)} = {run}")
            elif len(tensors) == 1:
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
                *on_worker,
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
        part = f"gradient / {self.strategy}.num_replicas_in_sync"
        part = "worker_average(gradient)" if self.sparse else part
        if self.training.applied is None:
            lines.append(f"gradients = tape.gradient({loss}, {trained})")
            if self.strategy and not self.workers:
                lines.append("# apply_gradients adds up those of all workers")
                lines.append(f"gradients = [{part} for gradient in gradients]")
            lines.append(f"{self.optimizer}.apply_gradients(zip(gradients, {trained}))")
            return [*lines, *self._averaged()], parts
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
        if self.strategy and not self.workers:
            lines.append("# apply_gradients adds up those of all workers")
            lines.append("averaged = [")
            lines.append(f"\t({part}, variable) for gradient, variable in {applied}]")
            applied = "averaged"
        lines.append(f"{self.optimizer}.apply_gradients({applied})")
        return [*lines, *self._averaged()], parts

    def _averaged(self) -> list[str]:
        return [f"{self.averages.name}.apply({self.trained})"] if self.averages else []


def _taking(wanted: Sequence[str], results: Sequence[str], call: str) -> str:
    """Returns the statement that assigns some of the results of a call to their names."""
    return f"{', '.join(name if name in wanted else '_' for name in results)} = {call}"


def signature(parameters: Sequence[str]) -> str:
    """Returns the decorator of a function of some placeholders."""
    return (
        f"@tf.function(input_signature=[{', '.join(parameters)}])" if parameters else "@tf.function"
    )


def name_functions(steps: Steps, runs: Sequence[Run]) -> None:
    """Collects what the functions return, and names those that do not train."""
    graph, module = steps.graph, steps.graph.module
    wanted: list[str] = []
    lists: list[tuple[str, ...]] = []
    early = steps.early
    for run in runs:
        names = tuple(names_of(run))
        if run.trains:
            steps.train_results += [n for n in names if n not in steps.train_results]
        if late_of(graph, run, steps.late) is not None or _is_early(steps, run):
            continue
        tensors = [n for n in names if graph.names.get(n) is Kind.TENSOR]
        wanted += tensors
        if not run.trains and tensors and names not in lists:
            lists.append(names)
    for group in reversed(steps.late):
        for other in steps.late:
            read = [n for n in group.reads if n in other.names and other is not group]
            other.results += [n for n in read if n not in other.results]
        tensors = [n for n in group.reads if graph.names.get(n) is Kind.TENSOR]
        if early is not None and steps.reads_early(group):
            early.results += [n for n in tensors if n not in early.results]
        else:
            wanted += tensors
    order = [name for leaf in graph.of(Kind.TENSOR) for name in graph.assigned(leaf)]
    order = list(dict.fromkeys(order))
    steps.results = [n for n in order if n in {steps.training.loss, *wanted}]
    if early is not None:
        early.results = [n for n in order if n in {*early.results, *early.kept(steps.results)}]
        early.function = free_name(module, "predict", "forward_pass")
    alone = len(lists) + len(steps.late) == 1
    for names in lists:
        name = "evaluate" if alone else f"compute_{'_and_'.join(names)}"
        steps.others[names] = free_name(module, name)
    for group in steps.late:
        name = "evaluate" if alone else f"compute_{'_and_'.join(group.results)}"
        group.function = free_name(module, name)
        _give(steps, group)
    for run in runs:
        if run.trains or any(graph.names.get(n) in (Kind.TENSOR, Kind.LATE) for n in names_of(run)):
            steps.callees[run.call] = _callee(steps, run)


def _is_early(steps: Steps, run: Run) -> bool:
    """Says whether a run needs the first part of the model only, and feeds no more."""
    names = [n for n in names_of(run) if steps.graph.names.get(n) is Kind.TENSOR]
    given = set(run.feeds)
    return (
        not run.trains
        and bool(names)
        and steps.early is not None
        and not set(steps.parameters) <= given
        and len(names) == len(run.fetches)
        and set(names) <= set(steps.early.names)
    )


def _give(steps: Steps, group: Late) -> None:
    """Collects the placeholders that a function below the session is given."""
    module = steps.graph.module
    needed = {n.id for leaf in group.leaves for n in module.all(ast.Name, leaf)}
    if any(steps.graph.names.get(n) is Kind.TENSOR for n in group.reads):
        early = steps.early if steps.reads_early(group) else None
        needed |= set(early.parameters if early is not None else steps.parameters)
    for other in steps.late:
        if other is not group and not set(other.names).isdisjoint(group.reads):
            needed |= set(other.parameters)
    group.parameters = [n for n in steps.parameters if n in needed]


def _callee(steps: Steps, run: Run) -> Callee:
    """Returns the function that does what a run does."""
    if run.trains:
        return Callee(steps.train_step, steps.parameters, steps.train_results)
    group = late_of(steps.graph, run, steps.late)
    if group is not None:
        return Callee(group.function, group.parameters, group.results)
    if _is_early(steps, run) and steps.early is not None:
        return Callee(steps.early.function, steps.early.parameters, steps.early.results)
    names = tuple(names_of(run))
    return Callee(steps.others[names], steps.parameters, names)


def model_results(steps: Steps) -> str:
    """Returns the statement that ends the model."""
    return f"return {', '.join(steps.results)}"


def in_indentation(module: Module, code: Code) -> Code:
    """Returns code in which a tab is one level of the file's indentation."""
    return replace(code, template=code.template.replace("\t", indentation_of(module)))


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
