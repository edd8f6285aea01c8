"""The training operation of a graph: the loss, the optimizer and what happens between."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tfmigrate.families.native.conversion import called, refuse
from tfmigrate.families.native_steps.flagged import SYNC
from tfmigrate.families.native_steps.graph import Graph, Kind, computes_gradients
from tfmigrate.resolve.calls import argument
from tfmigrate.tables.native.optimizers import OPTIMIZERS

_PLACES = ("colocate_gradients_with_ops", "gate_gradients")  # where and when, not what


@dataclass(frozen=True)
class Training:
    """What a training operation does.

    Attributes:
        leaf: the statement that makes it.
        loss: the name of the loss.
        made: the call that makes the optimizer.
        name: the variable that holds the optimizer; "" for none.
        computed: the call of ``compute_gradients``; None with ``minimize``.
        applied: the gradients and variables that are applied; None with ``minimize``.
    """

    leaf: ast.Assign
    loss: str
    made: ast.Call
    name: str
    computed: ast.Call | None = None
    applied: ast.expr | None = None


@dataclass(frozen=True)
class Averages:
    """The moving averages of the variables that are trained.

    Attributes:
        leaf: the statement that makes them.
        name: their variable.
        values: the list of them in the result.
    """

    leaf: ast.Assign
    name: str
    values: str


def read_training(graph: Graph) -> Training:
    """Returns the one training operation of a graph.

    Raises:
        Refusal: there are several, or one that is not read.
    """
    found = graph.of(Kind.TRAINING)
    if len(found) != 1:
        place = found[1] if found else graph.session
        refuse(place, "there is not one operation that trains, in the function of the session")
    (leaf,) = found
    assert isinstance(leaf, ast.Assign)
    call = leaf.value
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    for keyword in call.keywords:
        if keyword.arg not in ("loss", "grads_and_vars", "global_step", "name"):
            refuse(keyword.value, f"`{keyword.arg}` of `{call.func.attr}`")
    held = call.func.value
    computed: ast.Call | None = None
    applied: ast.expr | None = None
    if call.func.attr == "minimize":
        loss = argument(call, 0, "loss")
    else:
        applied = argument(call, 0, "grads_and_vars")
        computed = _computed(graph, held)
        loss = argument(computed, 0, "loss")
    if loss is None or graph.kind_of(loss) is not Kind.TENSOR:
        refuse(loss or call, "the loss is not a tensor of this function")
    assert isinstance(loss, ast.Name)
    made = optimizer_made(graph, held)
    name = _name_of(graph, held)
    return Training(leaf, loss.id, made, name, computed, applied)


def _name_of(graph: Graph, held: ast.expr) -> str:
    """Returns the variable of an optimizer, without what synchronizes it."""
    made = graph.value_of(held)
    inner = argument(made, 0, "opt") if isinstance(made, ast.Call) else None
    if called(graph.module, made) in SYNC and isinstance(inner, ast.Name):
        held = inner
    return held.id if isinstance(held, ast.Name) else ""


def optimizer_made(graph: Graph, held: ast.expr) -> ast.Call:
    """Returns the call that makes an optimizer, without what synchronizes it.

    Raises:
        Refusal: it is not in the vocabulary.
    """
    made = graph.value_of(held)
    if called(graph.module, made) in SYNC and isinstance(made, ast.Call):
        inner = argument(made, 0, "opt")
        if inner is None:
            refuse(made, "a SyncReplicasOptimizer without an optimizer")
        made = inner
        if isinstance(inner, ast.Name):
            made = graph.value_before(inner)
    if not isinstance(made, ast.Call) or called(graph.module, made) not in OPTIMIZERS:
        refuse(held, f"`{ast.unparse(made)[:60]}` is not an optimizer in the vocabulary")
    return made


def _computed(graph: Graph, optimizer: ast.expr) -> ast.Call:
    """Returns the one call of ``compute_gradients`` of an optimizer."""
    found = [
        call
        for leaf in graph.of(Kind.GRADIENT, Kind.COLLECTED)
        for call in graph.module.all(ast.Call, leaf)
        if computes_gradients(call)
    ]
    others = [k for call in found for k in call.keywords if k.arg not in ("loss", *_PLACES)]
    if len(found) != 1 or len(found[0].args) > 1 or others:
        refuse(found[1] if found[1:] else optimizer, "not one call computes the gradients")
    function = found[0].func
    assert isinstance(function, ast.Attribute)
    if optimizer_made(graph, function.value) is not optimizer_made(graph, optimizer):
        refuse(function, "a different optimizer computes the gradients")
    return found[0]
