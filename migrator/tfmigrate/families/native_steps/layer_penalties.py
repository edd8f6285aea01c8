"""The penalties of the regularizers of layers, which a graph reads as a collection."""

from __future__ import annotations

import ast

from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native.penalties import is_penalties
from tfmigrate.families.native_steps.graph import Graph, Kind


def adds_penalties(plan: Conversion, graph: Graph) -> bool:
    """Says whether a graph reads the penalties of all layers.

    Raises:
        Refusal: it makes layers afterwards, whose penalties it did not read.
    """
    module = graph.module
    reads = [
        leaf
        for leaf in graph.of(Kind.TENSOR)
        if any(is_penalties(module, call) for call in module.all(ast.Call, leaf))
    ]
    if not reads:
        return False
    first = module.position(reads[0])
    for leaf in graph.of(Kind.TENSOR):
        if module.position(leaf) > first and _regularizes(plan, graph, leaf, set()):
            refuse(leaf, "a regularizer is made after the penalties are read")
    return True


def _regularizes(plan: Conversion, graph: Graph, place: ast.AST, seen: set[ast.AST]) -> bool:
    """Says whether code, or a function that it calls, passes a regularizer."""
    module = graph.module
    for call in module.all(ast.Call, place):
        given = [k for k in call.keywords if (k.arg or "").endswith("regularizer")]
        if given and called(module, call).startswith("tensorflow."):
            return True
        found = definition(plan, module, call.func)
        if found is not None and found[1] not in seen:
            seen.add(found[1])
            if _regularizes(plan, graph, found[1], seen):
                return True
    return False
