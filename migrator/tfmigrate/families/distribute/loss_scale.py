"""How a replica function reduces its per-example losses.

An optimizer in a replica sums the gradients of all replicas, and in a custom loop nothing scales
the losses (semantics.md, 1m): the program has to. One that does not trains with gradients that are
larger by the number of replicas or by the batch size, and raises no error. Only what is certain is
reported: a loss that an unknown function made is not judged.
"""

import ast
import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tfmigrate.families.distribute.keras3 import KERAS, made_by
from tfmigrate.resolve.calls import method_calls
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.origins import origins

_LOSSES = f"{KERAS}losses."
_AVERAGE = "tensorflow.nn.compute_average_loss"
_MEANS = ("tensorflow.reduce_mean", "tensorflow.math.reduce_mean")
_SUMS = ("tensorflow.reduce_sum", "tensorflow.math.reduce_sum")
_REPLICAS = "num_replicas_in_sync"
_DEPTH = 10


class Reduced(enum.Enum):
    """How the per-example losses are reduced."""

    NOT = "the loss has one value per example, so its gradient is a sum over examples"
    SUM = "the loss is a sum over the replica's examples"
    MEAN = "the loss is a mean over the replica's examples"
    AVERAGE = "the loss is already the mean over the global batch"


@dataclass(frozen=True)
class Scale:
    """A loss, and how it was computed from the per-example losses.

    Attributes:
        reduced: how they were reduced.
        divisors: for each divisor or factor, whether it is the number of replicas; None where it
            is unknown.
    """

    reduced: Reduced
    divisors: tuple[bool | None, ...] = ()

    def problem(self) -> str:
        """Returns what is wrong with it; "" for nothing."""
        what, divided = self.reduced.value, bool(self.divisors)
        if self.reduced in (Reduced.NOT, Reduced.SUM):
            return "" if divided else f"{what}, and is not divided by the global batch size"
        if self.reduced is Reduced.AVERAGE:
            return f"{what}, and is divided again" if divided else ""
        if not divided:
            return f"{what}, but the optimizer sums gradients over replicas"
        # An unknown divisor may be the number of replicas.
        may_be_replicas = any(by is not False for by in self.divisors)
        return "" if may_be_replicas else f"{what}, and is divided again"


def wrong_scales(module: Module, function: ast.FunctionDef) -> Iterator[tuple[ast.expr, str]]:
    """Yields the losses that a function takes gradients of, with what is wrong with their scale."""
    for call, _ in method_calls(module, "gradient", within=function):
        target = call.args[0] if call.args else None
        scale = _scale(module, function, target, 0) if target is not None else None
        problem = scale.problem() if scale is not None else ""
        if problem and target is not None:
            yield target, problem


def _scale(module: Module, function: ast.FunctionDef, node: ast.expr, depth: int) -> Scale | None:
    """Returns how an expression was made from the losses of examples, None where it was not."""
    if depth > _DEPTH:
        return None
    if isinstance(node, ast.Name):
        values = [
            statement.value
            for statement in module.all(ast.Assign, function)
            if any(isinstance(t, ast.Name) and t.id == node.id for t in statement.targets)
        ]
        # Of several values any may be the one whose gradient is taken.
        return _scale(module, function, values[0], depth + 1) if len(values) == 1 else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Mult)):
        if (left := _scale(module, function, node.left, depth + 1)) is not None:
            return replace(left, divisors=(*left.divisors, _of_replicas(module, node.right)))
        right = _scale(module, function, node.right, depth + 1)
        if right is not None and isinstance(node.op, ast.Mult):
            return replace(right, divisors=(*right.divisors, _of_replicas(module, node.left)))
        return None
    if not isinstance(node, ast.Call):
        return None
    if _is_loss_of_examples(module, node):
        return Scale(Reduced.NOT)
    name = module.resolve(node.func)
    inner = _scale(module, function, node.args[0], depth + 1) if node.args else None
    if inner is None or inner.reduced is not Reduced.NOT:
        return None
    if name == _AVERAGE:
        return replace(inner, reduced=Reduced.AVERAGE)
    if len(node.args) > 1 or node.keywords:
        return None  # a reduction over some axes only
    if name in _MEANS:
        return replace(inner, reduced=Reduced.MEAN)
    return replace(inner, reduced=Reduced.SUM) if name in _SUMS else None


def _of_replicas(module: Module, divisor: ast.expr) -> bool | None:
    """Returns whether a divisor is the number of replicas; None where it is not known."""
    answers = {_is_number_of_replicas(module, o) for o in origins(module, divisor) or ()}
    return answers.pop() if len(answers) == 1 else None


def _is_number_of_replicas(module: Module, node: ast.expr) -> bool | None:
    if isinstance(node, ast.Attribute):
        return True if node.attr == _REPLICAS else None
    if isinstance(node, ast.BinOp):
        sides = [_of_replicas(module, side) for side in (node.left, node.right)]
        if isinstance(node.op, ast.Div):
            return sides[1]  # 1 / strategy.num_replicas_in_sync, to multiply with
        return False if True in sides else None  # a batch for each replica, times the replicas
    return False if isinstance(node, ast.Constant) else None


def _is_loss_of_examples(module: Module, call: ast.Call) -> bool:
    """Returns whether a call gives one loss for each example."""
    name = module.resolve(call.func) or ""
    if name.startswith(_LOSSES):
        return name.rpartition(".")[2].islower()  # a function; classes make an object
    creations = made_by(module, call.func)
    return bool(creations) and all(_has_no_reduction(module, each) for each in creations)


def _has_no_reduction(module: Module, call: ast.Call) -> bool:
    if not (module.resolve(call.func) or "").startswith(_LOSSES):
        return False
    reduction = next((k.value for k in call.keywords if k.arg == "reduction"), None)
    if isinstance(reduction, ast.Constant):
        return reduction.value in ("none", "NONE")
    name = module.resolve(reduction) if reduction is not None else None
    return bool(name) and str(name).endswith("Reduction.NONE")
