"""The training operation of a graph: the loss, the optimizer and what happens between."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tfmigrate.families.native.conversion import called, refuse
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.resolve.calls import argument
from tfmigrate.tables.native.optimizers import OPTIMIZERS


@dataclass(frozen=True)
class Training:
    """What a training operation does.

    Attributes:
        leaf: the statement that makes it.
        loss: the name of the loss.
        made: the call that makes the optimizer.
        name: the variable that holds the optimizer; "" for none.
    """

    leaf: ast.Assign
    loss: str
    made: ast.Call
    name: str


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
    if call.func.attr != "minimize":
        refuse(call, f"`{call.func.attr}` of an optimizer")
    for keyword in call.keywords:
        if keyword.arg not in ("loss", "global_step", "name"):
            refuse(keyword.value, f"`{keyword.arg}` of `minimize`")
    loss = argument(call, 0, "loss")
    if loss is None or graph.kind_of(loss) is not Kind.TENSOR:
        refuse(loss or call, "the loss is not a tensor of this function")
    assert isinstance(loss, ast.Name)
    held = call.func.value
    made = graph.value_of(held)
    if not isinstance(made, ast.Call) or called(graph.module, made) not in OPTIMIZERS:
        refuse(held, f"`{ast.unparse(made)[:60]}` is not an optimizer in the vocabulary")
    return Training(leaf, loss.id, made, held.id if isinstance(held, ast.Name) else "")
