"""Moving averages of the variables: a training operation may update them in the same run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.native.conversion import (
    Conversion,
    called,
    free_name,
    literal,
    reads,
    refuse,
)
from tfmigrate.families.native_steps.counters import check_counts
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.runs import Run
from tfmigrate.families.native_steps.scopes import AFTER
from tfmigrate.families.native_steps.steps import Steps
from tfmigrate.families.native_steps.training import Averages, Training
from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate.tables.native.layers import FUNCTIONS as LAYERS

_TRAINED = "tensorflow.trainable_variables"
_SAVERS = (
    *("tensorflow.train.Saver", "tensorflow.train.Supervisor"),
    "tensorflow.train.MonitoredTrainingSession",
)
_ARGUMENTS = ("decay", "num_updates", "zero_debias", "name")


def read_averages(graph: Graph, training: Training, runs: Sequence[Run]) -> Averages | None:
    """Returns the moving averages that each training step updates; None for none.

    Raises:
        Refusal: they are of something else, or some runs leave out their update.
    """
    made, module = graph.of(Kind.AVERAGES), graph.module
    _check_order(graph, training)
    operations = [leaf for leaf in graph.of(Kind.OPERATION) if isinstance(leaf, ast.Assign)]
    updates = [leaf for leaf in operations if _is_update(graph, leaf.value)]
    averages: Averages | None = None
    if made:
        (leaf, *others), target = made, getattr(made[0], "targets", [None])[0]
        if others or not isinstance(leaf, ast.Assign) or not isinstance(target, ast.Name):
            refuse((others or [leaf])[0], "moving averages of several kinds")
        if len(updates) != 1:
            refuse(leaf, "the moving averages are not updated by one operation")
        _check_made(graph, training, leaf)
        _check_update(graph, updates[0])
        _check_uses(graph, target.id, updates[0])
        for call in (c for c in module.all(ast.Call) if called(module, c) in LAYERS):
            refuse(call, "moving averages of the variables of layers")
        values = free_name(module, "averages", "moving_averages")
        averages = Averages(leaf, target.id, values)
    wanted = {training.leaf, *updates}
    for run in runs:
        ran = {leaf for name in _operations(graph, run) for leaf in _ran(graph, name, wanted)}
        if ran and ran != wanted:
            refuse(run.call, "a run that trains and does not update the moving averages")
    return averages


def convert_averages(plan: Conversion, steps: Steps) -> Iterator[Code]:
    """Yields the statements that make the moving averages, and removes the original's."""
    averages = steps.averages
    if averages is None:
        return
    module = steps.graph.module
    assert isinstance(averages.leaf.value, ast.Call)
    call = averages.leaf.value
    texts: list[str] = []
    parts: list[ast.expr] = []
    for position, name in enumerate(_ARGUMENTS):
        value = argument(call, position, name)
        if value is None:
            continue
        given = f"{steps.optimizer}.iterations"
        if name != "num_updates":
            given = f"{{{len(parts)}}}"
            parts.append(value)
        keyword = "" if position < len(call.args) else f"{name}="
        texts.append(f"{keyword}{given}")
    plan.drop(module, averages.leaf, parts)
    made = f"{ast.unparse(call.func)}({', '.join(texts)})"
    yield Code(f"{averages.name} = {made}", tuple(parts))
    yield Code(f"{averages.name}.apply({steps.trained})  # makes the averages")
    if _saves(steps):
        average = f"{averages.name}.average(v)"
        yield Code(f"{averages.values} = [{average} for v in {steps.trained}]")


def _saves(steps: Steps) -> bool:
    """Says whether a program writes checkpoints."""
    calls = steps.graph.module.all(ast.Call)
    return any(called(steps.graph.module, call).startswith(_SAVERS) for call in calls)


def _is_update(graph: Graph, value: ast.expr) -> bool:
    function = value.func if isinstance(value, ast.Call) else None
    return isinstance(function, ast.Attribute) and (
        graph.kind_of(function.value) is Kind.AVERAGES and function.attr == "apply"
    )


def _check_order(graph: Graph, training: Training) -> None:
    """Refuses operations that run before the training operation, or with it, and do more."""
    module = graph.module
    for before in _dependencies(module, training.leaf):
        refuse(before, "other operations run before the training operation")
    for leaf in graph.of(Kind.OPERATION):
        for before in _dependencies(module, leaf):
            if graph.kind_of(before) not in (Kind.TRAINING, Kind.OPERATION):
                refuse(before, f"`{ast.unparse(before)}` runs with the training operation")


def _check_made(graph: Graph, training: Training, leaf: ast.Assign) -> None:
    call = leaf.value
    assert isinstance(call, ast.Call)
    if has_star_arguments(call) or any(k.arg not in _ARGUMENTS for k in call.keywords):
        refuse(call, "the arguments of an ExponentialMovingAverage")
    step, biased = argument(call, 1, "num_updates"), argument(call, 2, "zero_debias")
    if step is not None and graph.kind_of(step) is not Kind.STEP:
        refuse(step, "the number of updates of the moving averages is not the global step")
    if step is not None:
        check_counts(graph, training, step)
    if biased is not None and literal(biased) is not False:
        refuse(biased, "`zero_debias` of an ExponentialMovingAverage")
    decay = argument(call, 0, "decay")
    if decay is None or graph.reads_tensors(decay):
        refuse(decay or call, "the decay of the moving averages is a tensor")


def _check_update(graph: Graph, leaf: ast.Assign) -> None:
    call = leaf.value
    assert isinstance(call, ast.Call)
    given = argument(call, 0, "var_list")
    if given is None or len(call.args) + len(call.keywords) != 1:
        refuse(call, "moving averages of variables that are not written as all trained ones")
    made = graph.value_of(given)
    if called(graph.module, made) != _TRAINED or not isinstance(made, ast.Call) or made.args:
        refuse(given, "moving averages of variables that are not written as all trained ones")


def _check_uses(graph: Graph, name: str, update: ast.Assign) -> None:
    for node in reads(graph.module, name, graph.home):
        if graph.is_here(node) and graph.module.statement(node) is not update:
            refuse(node, f"`{name}` is used in another way than to update the averages")


def _operations(graph: Graph, run: Run) -> Iterator[ast.Name]:
    """Yields the names of the operations that a run fetches."""
    for node in graph.module.all(ast.Name, run.call):
        if graph.kind_of(node) in (Kind.TRAINING, Kind.OPERATION):
            yield node


def _ran(graph: Graph, name: ast.Name, wanted: set[ast.Assign]) -> Iterator[ast.Assign]:
    """Yields those of some statements whose operations run with that of a name."""
    leaf = next(
        (
            leaf
            for leaf in graph.of(Kind.TRAINING, Kind.OPERATION)
            if isinstance(leaf, ast.Assign) and name.id in {ast.unparse(t) for t in leaf.targets}
        ),
        None,
    )
    if leaf is None:
        return
    if leaf in wanted:
        yield leaf
    needed = [*_dependencies(graph.module, leaf)]
    if called(graph.module, leaf.value) == "tensorflow.group":
        needed += [n for n in ast.walk(leaf.value) if isinstance(n, ast.Name)]
    for other in needed:
        if graph.kind_of(other) in (Kind.TRAINING, Kind.OPERATION) and other.id != name.id:
            yield from _ran(graph, other, wanted)


def _dependencies(module: Module, node: ast.AST) -> Iterator[ast.Name]:
    """Yields the names of what runs before the operations of a place."""
    for block in module.ancestors(node):
        if isinstance(block, ast.With):
            for item in block.items:
                if called(module, item.context_expr) == AFTER:
                    assert isinstance(item.context_expr, ast.Call)
                    for given in item.context_expr.args:
                        yield from module.all(ast.Name, given)
