"""The loop of a graph that builds its towers: where they compute, and what it collects of them."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.towers.devices import names_in, source_of
from tfmigrate.families.towers.loops import TowerLoop, tower_loops
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.module import Module

_SPLIT = "tensorflow.split"


def loop_of_towers(
    plan: Conversion, module: Module, home: ast.FunctionDef | ast.Module
) -> TowerLoop | None:
    """Returns the loop over towers of the function of a session; None for none.

    Raises:
        Refusal: it has several, or one that cannot become a function.
    """
    if not module.mentions("device"):
        return None
    loops = plan.program.once(tower_loops, module)
    found = [towers for towers in loops if module.function(towers.loop) is home]
    if not found:
        return None
    if len(found) > 1:
        refuse(found[1].loop, "the graph has several loops over towers")
    (towers,) = found
    for problem in towers.problems:
        raise problem
    if towers.loop.orelse:
        refuse(towers.loop, "a loop over towers with `else`")
    return towers


def collected(leaf: ast.stmt) -> tuple[ast.Name, ast.expr] | None:
    """Returns the list that a statement appends to, or the sum that it adds to, and the value."""
    if isinstance(leaf, ast.AugAssign) and isinstance(leaf.op, ast.Add):
        return (leaf.target, leaf.value) if isinstance(leaf.target, ast.Name) else None
    call = leaf.value if isinstance(leaf, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    held = call.func.value
    if call.func.attr != "append" or not isinstance(held, ast.Name) or len(call.args) != 1:
        return None
    return held, call.args[0]


def counts(loop: ast.For) -> bool:
    """Says whether a loop counts its towers from 0, by a name alone."""
    return isinstance(loop.target, ast.Name) and len(_range(loop.iter)) == 1


def devices(
    module: Module,
    towers: TowerLoop,
    is_tensor: Callable[[ast.expr], bool],
    value_of: Callable[[ast.expr], ast.expr],
) -> str:
    """Returns the code of the list of devices, which exist before there is a tensor.

    Args:
        module: the file.
        towers: the loop.
        is_tensor: says whether an expression reads tensors.
        value_of: returns the expression that a name of the graph was assigned.

    Raises:
        Refusal: how many towers there are depends on a tensor.
    """
    loop = towers.loop
    target, values = ast.unparse(loop.target), source_of(module, loop.iter)
    if isinstance(loop.target, ast.Tuple):
        target = target.removeprefix("(").removesuffix(")")
    if is_tensor(loop.iter):
        index, inner = _enumerated(loop)
        device = ast.parse(towers.device.text, mode="eval")
        if not index or names_in(device) & names_in(loop.target) - {index}:
            refuse(loop.iter, "the device of a tower depends on a tensor")
        target, values = index, f"range({_length(module, inner, value_of)})"
    return f"[{towers.device.text} for {target} in {values}]"


def is_first(loop: ast.For, test: ast.expr) -> bool:
    """Says whether a condition is that of the first tower alone: ``i == 0`` or ``not i``."""
    index = _enumerated(loop)[0]
    if isinstance(loop.target, ast.Name) and len(_range(loop.iter)) == 1:
        index = loop.target.id
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return isinstance(test.operand, ast.Name) and test.operand.id == index
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    left, right = test.left, test.comparators[0]
    zero = isinstance(right, ast.Constant) and right.value == 0 and len(test.ops) == 1
    return zero and isinstance(left, ast.Name) and left.id == index


def _range(values: ast.expr) -> list[ast.expr]:
    """Returns the arguments of a call of ``range``; none for another expression."""
    called_by = getattr(values, "func", None)
    if isinstance(called_by, ast.Name) and called_by.id in ("range", "xrange"):
        assert isinstance(values, ast.Call)
        return values.args
    return []


def _enumerated(loop: ast.For) -> tuple[str, ast.expr]:
    """Returns the index of ``for i, x in enumerate(values)`` and the values; "" for none."""
    call, target = loop.iter, loop.target
    function = call.func if isinstance(call, ast.Call) else None
    if (
        isinstance(call, ast.Call)
        and isinstance(function, ast.Name)
        and function.id == "enumerate"
        and len(call.args) == 1
        and not call.keywords
        and isinstance(target, ast.Tuple)
        and isinstance(target.elts[0], ast.Name)
    ):
        return target.elts[0].id, call.args[0]
    return "", call


def _length(module: Module, values: ast.expr, value_of: Callable[[ast.expr], ast.expr]) -> str:
    """Returns the code of the number of parts of a batch."""
    made = value_of(values)
    function = made.func if isinstance(made, ast.Call) else None
    if isinstance(made, ast.Call) and isinstance(function, ast.Name) and function.id == "zip":
        return _length(module, made.args[0], value_of)
    if isinstance(made, ast.Call) and called(module, made) == _SPLIT:
        count = argument(made, 1, "num_or_size_splits")
        plain = (ast.Name, ast.Attribute, ast.Constant, ast.expr_context)
        if count is not None and all(isinstance(node, plain) for node in ast.walk(count)):
            return ast.unparse(count)
    refuse(values, "how many towers there are is not written out")
