"""The edits that make functions of the statements of a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tfmigrate.families.native.conversion import refuse
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.steps import Steps, model_results, signature
from tfmigrate.model.edits import Code, StatementsToFunction


def functions_of(
    steps: Steps,
    first: ast.stmt,
    last: ast.stmt,
    before: Sequence[Code],
    after: Sequence[Code],
) -> Iterator[StatementsToFunction]:
    """Yields the edits that make the model, its first part, and the functions below the session.

    Args:
        steps: the functions.
        first: the first statement of the model.
        last: its last statement.
        before: statements that come first.
        after: statements that follow the model.

    Raises:
        Refusal: the first part of the model ends within a block.
    """
    head = f"def {steps.model}({steps.given}):"
    model = StatementsToFunction(
        first,
        last,
        tuple(before),
        head,
        model_results(steps),
        tuple(after),
        begins=tuple(steps.model_begins),
        joined=True,
    )
    early = steps.early
    if early is None:
        yield model
    else:
        end, start = _parting(steps.graph, first, early.first)
        given = ", ".join(early.parameters)
        head = f"{signature(early.parameters)}\ndef {early.function}({given}):"
        results = ", ".join(early.results)
        yield StatementsToFunction(first, end, tuple(before), head, f"return {results}", ())
        call = f"{results} = {early.function}({given})"
        yield replace(model, first=start, before=(), begins=(Code(call),), joined=True)
    for group in steps.late:
        head = f"def {group.function}({', '.join(group.parameters)}):"
        yield StatementsToFunction(
            group.leaves[0],
            group.leaves[-1],
            (),
            f"{signature(group.parameters)}\n{head}",
            f"return {steps.returned(group.results)}",
            (),
            begins=tuple(Code(text) for text in steps.beginning_of(group)),
            joined=True,
        )


def _parting(graph: Graph, first: ast.stmt, later: ast.stmt) -> tuple[ast.stmt, ast.stmt]:
    """Returns the statements of the block of ``first`` above and at a later statement."""
    module = graph.module
    blocks = [value for _, value in ast.iter_fields(module.parent(first))]
    block = next(b for b in blocks if isinstance(b, list) and first in b)
    line = [later, *module.ancestors(later)]
    place = next(i for i, statement in enumerate(block) if statement in line)
    inside = [leaf for leaf in graph.of(Kind.TENSOR) if leaf in module.walk(block[place])]
    if place <= block.index(first) or inside[0] is not later:
        refuse(later, "a run needs a part of this block only, and feeds nothing else")
    return block[place - 1], block[place]
