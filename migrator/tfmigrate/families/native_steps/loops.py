"""What the loops of several workers cannot share in one process, as their processes did not."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.native.conversion import Conversion, refuse
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native_steps.graph import Graph
from tfmigrate.resolve.module import Module

_STREAMS = ("numpy.random.", "random.", "tensorflow.random.")
_OF_THEIR_OWN = (
    *("numpy.random.RandomState", "numpy.random.default_rng", "numpy.random.Generator"),
    *("random.Random",),
)
_SHARED = "in one process, the loops of all workers would share"


def check_loop(
    plan: Conversion, graph: Graph, region: Sequence[ast.stmt], moved: Sequence[ast.stmt]
) -> None:
    """Checks code that becomes a function which several threads call at the same time.

    Args:
        plan: the conversion.
        graph: the graph above it.
        region: its statements.
        moved: assignments that come first in it.

    Raises:
        Refusal: it changes what is outside of it, or reads what it had for itself in a process.
    """
    module = graph.module
    places = [*moved, *region]
    inside = {node for place in places for node in module.walk(place)}
    for node in inside:
        if isinstance(node, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom)):
            refuse(node, "the loop of a worker changes variables outside of it")
        if isinstance(node, ast.Return) and node.value is not None:
            refuse(node, "the loop of a worker returns something")
    _check_names(plan, graph, inside)
    for function in _functions(plan, module, places):
        for node in module.walk(function):
            if isinstance(node, ast.Global):
                refuse(node, f"{_SHARED} `{node.names[0]}`")
        _check_state(plan, module, function)
    for place in places:
        _check_state(plan, module, place)


def _check_names(plan: Conversion, graph: Graph, inside: set[ast.AST]) -> None:
    """Refuses names that are assigned inside and outside, and objects that are changed inside."""
    module = graph.module
    names = [n for n in module.all(ast.Name, graph.home) if not plan.is_removed(n)]
    here = [n for n in names if graph.is_here(n)]
    stored = {n.id for n in here if isinstance(n.ctx, ast.Store) and n in inside}
    for node in names:
        if node in inside or node.id not in stored or node.id == "_":
            continue
        if graph.is_here(node):
            refuse(node, f"`{node.id}` is assigned by the loop of a worker, and used outside of it")
        if isinstance(graph.home, ast.Module):
            refuse(node, f"a function reads `{node.id}`, which the loop of a worker assigns")
    if isinstance(graph.home, ast.Module):
        for node in module.all(ast.Name):
            outside = node not in inside and isinstance(node.ctx, ast.Load)
            if outside and node.id in stored and not plan.is_removed(node):
                found = module.names.scope_of[node].lookup(node.id)
                if found is not None and found[0].node is module.tree:
                    refuse(node, f"`{node.id}` of the loop of a worker is read elsewhere")
    for node in here:
        if node in inside and node.id not in stored and _is_changed(module, node):
            refuse(node, f"{_SHARED} `{node.id}`")


def _check_state(plan: Conversion, module: Module, place: ast.AST) -> None:
    """Refuses code that changes variables of the file, or draws from generators of the process."""
    for node in module.walk(place):
        if plan.is_removed(node):
            continue
        if isinstance(node, ast.Call):
            name = module.resolve(node.func) or ""
            if name.startswith(_STREAMS) and not name.startswith(_OF_THEIR_OWN):
                refuse(node, f"{_SHARED} the random numbers of `{ast.unparse(node.func)}`")
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found = module.names.scope_of[node].lookup(node.id)
            if found is None or found[0].node is not module.tree:
                continue
            made = [getattr(binding, "value", None) for binding in found[1]]
            if any(value is not None for value in made) and _is_changed(module, node):
                refuse(node, f"{_SHARED} `{node.id}`")


def _is_changed(module: Module, node: ast.Name) -> bool:
    """Says whether a use of a name calls a method of it, passes it on, or assigns to a part."""
    held: ast.expr = node
    parent = module.parent(node)
    while isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is held:
        if not isinstance(parent.ctx, ast.Load):
            return True
        held, parent = parent, module.parent(parent)
    if module.resolve(held) is not None:
        return False  # of an imported module
    return isinstance(parent, ast.Call) and parent.func is held and held is not node


def _functions(
    plan: Conversion, module: Module, places: Sequence[ast.AST]
) -> Iterator[ast.FunctionDef]:
    """Yields the functions and methods of the file that code may call."""
    seen: set[ast.FunctionDef] = set()
    waiting: list[ast.AST] = list(places)
    while waiting:
        for call in module.all(ast.Call, waiting.pop()):
            found = definition(plan, module, call.func)
            function = found[1] if found is not None and found[0] is module else None
            if function is not None and function not in seen:
                seen.add(function)
                waiting.append(function)
                yield function
