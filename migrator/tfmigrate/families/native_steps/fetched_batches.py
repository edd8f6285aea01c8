"""Batches that a session fetches, and that the program feeds to the steps."""

from __future__ import annotations

import ast

from tfmigrate.families.native.conversion import Conversion, refuse
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.runs import Run
from tfmigrate.families.native_steps.steps import Steps
from tfmigrate.model.edits import Code

_BOTH = "the graph reads a Dataset and placeholders"


def check_only_fetched(graph: Graph) -> None:
    """Checks that nothing computes with the batches of a graph that has placeholders.

    Raises:
        Refusal: something does.
    """
    names = {name for leaf in graph.of(Kind.BATCH) for name in graph.assigned(leaf)}
    for node in graph.module.all(ast.Name, graph.home):
        read = isinstance(node.ctx, ast.Load) and graph.is_here(node) and node.id in names
        if read and graph.kinds.get(graph.module.statement(node)) in (Kind.TENSOR, Kind.LATE):
            refuse(node, _BOTH)
    if graph.module.calls_of("tensorflow.train.Server"):
        refuse(graph.of(Kind.BATCH)[0], _BOTH)


def fetches_batches(steps: Steps, run: Run) -> bool:
    """Says whether a run fetches a batch."""
    return any(steps.graph.kind_of(node) is Kind.BATCH for node in run.fetches)


def convert_fetched(plan: Conversion, steps: Steps, run: Run) -> None:
    """Takes the next batch where a session fetched it.

    Raises:
        Refusal: the run does something else, or fetches a part of it in another order.
    """
    module, batches = steps.graph.module, steps.fetched
    names = [node.id for node in run.fetches if isinstance(node, ast.Name)]
    if batches is None or run.trains or run.feeds or run.inline is not None:
        refuse(run.call, "a run that fetches a batch and does something else")
    (leaf,) = steps.graph.of(Kind.BATCH)
    every = steps.graph.assigned(leaf)
    statement = module.statement(run.call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    whole = not batches.parted and not run.several and isinstance(target, ast.Tuple)
    if whole and isinstance(statement, ast.Assign) and statement.value is run.call:
        plan.replace(module, run.call, Code(f"[part.numpy() for part in {batches.element()}]"))
        return
    if run.initializes or len(names) != run.count or not batches.parted:
        refuse(run.call, "a batch is fetched in a form that is not supported")
    if not run.several:
        place = every.index(names[0])
        plan.replace(module, run.call, Code(f"{batches.element()}[{place}].numpy()"))
        return
    if names != every:
        refuse(run.call, "the parts of a batch are fetched in a different order")
    plan.replace(module, run.call, Code(f"[part.numpy() for part in {batches.element()}]"))
