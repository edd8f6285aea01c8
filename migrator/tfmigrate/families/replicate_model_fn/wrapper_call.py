"""Reads the arguments of one call of replicate_model_fn.

A conditional expression around the call, ``replicate_model_fn(f) if several else f``, is read with
it: its condition becomes that of the strategy. A reduction that scales by 1/N is left out, as all
of those gave the same bits in TensorFlow 1.x (semantics.md, 1.3).
"""

import ast
from dataclasses import dataclass

from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.kinds import Kind, is_optimizer_class, kind_of
from tfmigrate.resolve.origins import definition_of, origins
from tfmigrate.resolve.scopes import is_none
from tfmigrate.rulekit.basics import Module, Refusal

# These all scale by 1/N (semantics.md, 1.3); any other reduction is kept.
_NO_SCALING_CHANGE = (
    "MEAN", "SUM_BY_NONZERO_WEIGHTS", "SUM_OVER_BATCH_SIZE", "SUM_OVER_NONZERO_WEIGHTS",
)  # fmt: skip


_PARAMETERS = ("model_fn", "loss_reduction", "devices")


@dataclass(frozen=True)
class Wrapper:
    """One call of replicate_model_fn.

    Attributes:
        call: the call.
        value: the call, or the conditional expression around it.
        model_fn: the wrapped model function.
        devices: the devices, None for all GPUs.
        loss_reduction: how losses of towers are combined; None if it scales by 1/N.
        test: the condition under which the model is replicated, None for always.
        negated: whether the model is replicated where ``test`` is false.
        other: the model function where it is not replicated.
    """

    call: ast.Call
    value: ast.expr
    model_fn: ast.expr
    devices: ast.expr | None
    loss_reduction: ast.expr | None
    test: ast.expr | None = None
    negated: bool = False
    other: ast.expr | None = None


def read_wrapper(module: Module, call: ast.Call) -> Wrapper:
    """Reads the arguments of a replicate_model_fn call, and a conditional expression around it.

    Raises:
        Refusal: the arguments are hidden behind ``*`` or ``**``, or there is no model_fn.
    """
    if has_star_arguments(call):
        raise Refusal(
            call, "its arguments are passed by `*` or `**`", "pass each argument explicitly"
        )
    if (model_fn := argument(call, 0, "model_fn")) is None:
        raise Refusal(call, "`model_fn` is missing", "pass `model_fn`")
    _check_signature(module, call)
    reduction = argument(call, 1, "loss_reduction")
    if reduction is not None and _scales(module, reduction):
        reduction = None
    devices = argument(call, 2, "devices")
    # None means all GPUs, as no argument does (semantics.md, 1.17).
    if is_none(devices):
        devices = None
    if devices is not None:
        _check_devices(module, devices)
    parent = module.parent(call)
    if isinstance(parent, ast.IfExp) and parent.test is not call:
        negated = parent.orelse is call
        other = parent.body if negated else parent.orelse
        return Wrapper(call, parent, model_fn, devices, reduction, parent.test, negated, other)
    return Wrapper(call, call, model_fn, devices, reduction)


def _check_signature(module: Module, call: ast.Call) -> None:
    """Refuses the signature of TensorFlow 1.4, whose second argument was an optimizer_fn."""
    unknown = [k.arg for k in call.keywords if k.arg not in _PARAMETERS]
    second = call.args[1] if len(call.args) > 1 else None
    if second is not None and _gives_optimizer(module, second):
        unknown.append("optimizer_fn")
    if unknown or len(call.args) > len(_PARAMETERS):
        names = ", ".join(str(name) for name in unknown) or "too many arguments"
        text = f"TensorFlow 1.5 and later do not accept its arguments ({names})"
        raise Refusal(call, text, "pass only `model_fn`, `loss_reduction` and `devices`")


def _check_devices(module: Module, devices: ast.expr) -> None:
    """Refuses two towers on one device, as tests on a CPU had them: replicas cannot share one."""
    for value in (devices, *(origins(module, devices) or ())):
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
            value = value.left  # ["/cpu:0"] * 2
            is_repeated = isinstance(value, (ast.List, ast.Tuple))
        elif isinstance(value, (ast.List, ast.Tuple)):
            names = [e.value for e in value.elts if isinstance(e, ast.Constant)]
            is_repeated = len(set(names)) < len(names)
        else:
            is_repeated = False
        if is_repeated:
            text = "two towers are on one device, which two replicas of a strategy cannot share"
            raise Refusal(devices, text, "name a device for each tower, `/cpu:0` and `/cpu:1`")


def _gives_optimizer(module: Module, value: ast.expr) -> bool:
    """Returns whether a value is an optimizer, its class, or a function, so not a reduction."""
    candidates = [value, *(origins(module, value) or ())]
    return kind_of(module, value) is Kind.OPTIMIZER or any(
        isinstance(v, ast.Lambda)
        or definition_of(module, v) is not None
        or is_optimizer_class(module.resolve(v) or "")
        for v in candidates
    )


def _scales(module: Module, reduction: ast.expr) -> bool:
    prefix, _, name = (module.resolve(reduction) or "").rpartition(".")
    return prefix == "tensorflow.losses.Reduction" and name in _NO_SCALING_CHANGE
