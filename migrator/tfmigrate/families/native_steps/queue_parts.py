"""What is read of the queues of a program: the stages of one function, in order."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from tfmigrate.families.native.conversion import called, refuse
from tfmigrate.resolve.module import Module

_LISTS = ("tensorflow.decode_csv", "tensorflow.io.decode_csv", "tensorflow.split")


class Start(Enum):
    """What gives a stage its elements."""

    SLICES = auto()
    READ = auto()
    QUEUE = auto()
    OWN = auto()
    BATCH = auto()


@dataclass
class Stage:
    """Statements that compute with one element of a Dataset.

    Attributes:
        kind: what gives the elements.
        start: the statement that does.
        call: its call.
        parameters: the names of the parts of an element.
        unused: names of what else is read, such as a key.
        several: whether an element has several parts; None where that is not known.
        starred: whether one name holds all parts, as a list.
        elements: the statements.
        results: what the next stage gets of them, or what holds it.
        queue: the variable of the queue that is read; "" for none.
        reader: the call that makes the reader; None for none.
        inner: the function of the program that gives the elements; None for none.
    """

    kind: Start
    start: ast.stmt
    call: ast.Call
    parameters: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    several: bool | None = False
    starred: bool = False
    elements: list[ast.stmt] = field(default_factory=list)
    results: Sequence[ast.expr] | ast.expr = ()
    queue: str = ""
    reader: ast.Call | None = None
    inner: Pipeline | None = None


@dataclass
class Pipeline:
    """The queues that one function makes or reads, or a script.

    Attributes:
        function: the function, or the file.
        producers: the calls that fill queues of files, by their statements.
        readers: the statements that make readers.
        sources: statements of tensors that fill a queue.
        stages: what is computed, in order.
        others: statements that have nothing to do with it, by their order.
        scopes: the blocks of scopes around the statements.
        returned: the ``return`` of the function; None in the function of the session.
        batched: whether its last elements are batches.
        ends: whether its Dataset may end.
    """

    function: ast.FunctionDef | ast.Module
    producers: dict[ast.stmt, ast.Call] = field(default_factory=dict)
    readers: list[ast.stmt] = field(default_factory=list)
    sources: list[ast.stmt] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    others: list[ast.stmt] = field(default_factory=list)
    scopes: list[ast.With] = field(default_factory=list)
    returned: ast.Return | None = None
    batched: bool = False
    ends: bool = False

    def statements(self) -> Iterator[ast.stmt]:
        """Yields the statements that belong to it."""
        yield from (*self.producers, *self.readers, *self.sources)
        for stage in self.stages:
            yield from (stage.start, *stage.elements)
        if self.returned is not None:
            yield self.returned


def stored(module: Module, place: ast.AST) -> list[str]:
    """Returns the names that code assigns."""
    nodes = [n for n in module.walk(place) if isinstance(n, ast.Name)]
    return [node.id for node in nodes if isinstance(node.ctx, ast.Store)]


def loaded(module: Module, place: ast.AST) -> set[str]:
    """Returns the names that code reads."""
    nodes = [n for n in module.walk(place) if isinstance(n, ast.Name)]
    return {node.id for node in nodes if isinstance(node.ctx, ast.Load)}


def arguments_of(call: ast.Call) -> Mapping[str, ast.expr]:
    """Returns all arguments of a call; those by position have their place as a name."""
    named = {keyword.arg or "": keyword.value for keyword in call.keywords}
    return {**{str(i): value for i, value in enumerate(call.args)}, **named}


def target_of(statement: ast.stmt) -> str:
    """Returns the one name that a statement assigns."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if len(targets) != 1 or not isinstance(targets[0], ast.Name):
        refuse(statement, "a queue or a reader is not held by a variable")
    return targets[0].id


def has_several(module: Module, inner: Pipeline) -> bool:
    """Says whether what a function returns has several parts.

    Raises:
        Refusal: it cannot be determined.
    """
    stage = inner.stages[-1]
    if inner.returned is stage.start:
        return bool(stage.several)
    results = stage.results
    if not isinstance(results, ast.expr):
        return True
    if isinstance(results, ast.Name):
        if [results.id] == stage.parameters and not stage.elements:
            return bool(stage.several)
        named = results.id
        values = [
            leaf.value
            for leaf in stage.elements
            if isinstance(leaf, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == named for t in leaf.targets)
        ]
        results = values[-1] if values else results
    if isinstance(results, ast.Dict):
        return False
    name = called(module, results)
    if not name.startswith("tensorflow."):
        refuse(results, "cannot determine whether a function returns one tensor or several")
    return name in _LISTS
