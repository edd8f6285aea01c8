"""What a function cannot do as the graph did: build again, or read a name that changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.native.conversion import REPEATED, refuse
from tfmigrate.families.native_steps.graph import Graph, Kind, assigned
from tfmigrate.families.native_steps.training import Training
from tfmigrate.resolve.module import Module

_CHANGES = ("append", "extend", "insert", "update", "setdefault", "add", "pop")


def check_built_once(graph: Graph) -> None:
    """Refuses a graph that is built several times: its variables are those of the file.

    Raises:
        Refusal: it may be.
    """
    module = graph.module
    for outer in module.ancestors(graph.session):
        if outer is graph.home:
            break
        if isinstance(outer, REPEATED):
            refuse(outer, "the graph and its session are built again in a loop")
    if isinstance(graph.home, ast.Module):
        return
    if module.parent(graph.home) is not module.tree:
        refuse(graph.home, "the function of the session is not one of the file itself")
    name = graph.home.name
    uses = [n for n in module.all(ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
    calls = [n for n in uses if any(isinstance(a, REPEATED) for a in module.ancestors(n))]
    if len(uses) > 1 or calls:
        refuse((calls or uses)[-1], f"`{name}`, which builds the graph, may be called again")


def check_training(graph: Graph, training: Training) -> None:
    """Refuses what a training step would compute of other values than the graph did.

    Raises:
        Refusal: something would be.
    """
    module = graph.module
    for leaf in graph.of(Kind.TENSOR):
        late = module.position(leaf) > module.position(training.leaf)
        if late and training.loss in assigned(module, leaf):
            refuse(leaf, f"`{training.loss}` is assigned again after it is minimized")
    for node in (*training.made.args, *(k.value for k in training.made.keywords)):
        _check_reads(
            graph, node, "the optimizer depends", Kind.PLACEHOLDER, Kind.TENSOR, Kind.VARIABLE
        )
    gradients = [leaf for leaf in graph.of(Kind.GRADIENT) if isinstance(leaf, ast.Assign)]
    applied = [] if training.applied is None else [training.applied]
    for node in [*(leaf.value for leaf in gradients), *applied]:
        if node is not training.computed:
            _check_reads(graph, node, "the gradients depend", Kind.TENSOR, Kind.BATCH, Kind.STEP)


def check_changes(graph: Graph, functions: Sequence[ast.FunctionDef]) -> None:
    """Refuses to change a list or another object that exists before a function is called.

    Raises:
        Refusal: each tracing of the function would change it again.
    """
    module = graph.module
    tensors = graph.of(Kind.TENSOR)
    own = {name for leaf in tensors for name in assigned(module, leaf)}
    for place in tensors:
        for name in changed(module, place):
            if name.id not in own:
                refuse(name, f"`{name.id}` is changed, and exists before a step is traced")
    for function in functions:
        for name in changed(module, function):
            found = module.names.scope_of[name].lookup(name.id)
            home = found[0].node if found is not None else module.tree
            if home is not function and function not in module.ancestors(home):
                refuse(name, f"`{name.id}` is changed, and exists before a step is traced")


def changed(module: Module, place: ast.AST) -> Iterator[ast.Name]:
    """Yields the names of objects that code changes, by methods or by assignments."""
    for node in module.walk(place):
        held: ast.expr | None = None
        if isinstance(node, ast.Attribute) and node.attr in _CHANGES and not module.resolve(node):
            held = node.value
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            held = None if isinstance(node.ctx, ast.Load) else node.value
        while isinstance(held, (ast.Attribute, ast.Subscript)):
            held = held.value
        if isinstance(held, ast.Name):
            yield held


def _check_reads(graph: Graph, node: ast.expr, what: str, *kinds: Kind) -> None:
    for inner in graph.module.walk(node):
        if isinstance(inner, ast.Name) and graph.kind_of(inner) in kinds:
            refuse(inner, f"{what} on the tensor `{inner.id}`")
