"""What a function cannot do as the graph did: build again, or read a name that changes."""

from __future__ import annotations

import ast

from tfmigrate.families.native.conversion import refuse
from tfmigrate.families.native_steps.graph import Graph, Kind, assigned
from tfmigrate.families.native_steps.training import Training

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)


def check_built_once(graph: Graph) -> None:
    """Refuses a graph that is built several times: its variables are those of the file.

    Raises:
        Refusal: it may be.
    """
    module = graph.module
    for outer in module.ancestors(graph.session):
        if outer is graph.home:
            break
        if isinstance(outer, _LOOPS):
            refuse(outer, "the graph and its session are built again in a loop")
    if isinstance(graph.home, ast.Module):
        return
    if module.parent(graph.home) is not module.tree:
        refuse(graph.home, "the function of the session is not one of the file itself")
    name = graph.home.name
    uses = [n for n in module.all(ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
    calls = [n for n in uses if any(isinstance(a, _LOOPS) for a in module.ancestors(n))]
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
        _check_reads(graph, node, "the optimizer", Kind.PLACEHOLDER, Kind.TENSOR, Kind.VARIABLE)
    gradients = [leaf for leaf in graph.of(Kind.GRADIENT) if isinstance(leaf, ast.Assign)]
    applied = [] if training.applied is None else [training.applied]
    for node in [*(leaf.value for leaf in gradients), *applied]:
        if node is not training.computed:
            _check_reads(graph, node, "the gradients", Kind.TENSOR, Kind.BATCH, Kind.STEP)


def _check_reads(graph: Graph, node: ast.expr, what: str, *kinds: Kind) -> None:
    for inner in graph.module.walk(node):
        if isinstance(inner, ast.Name) and graph.kind_of(inner) in kinds:
            refuse(inner, f"{what} depend on the tensor `{inner.id}`")
