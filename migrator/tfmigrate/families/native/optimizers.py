"""The optimizer and the training operation of a model function."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tfmigrate.families.native.arguments import Arguments
from tfmigrate.families.native.conversion import Conversion, called, local_values, refuse
from tfmigrate.families.native.model_function import ModelFunction
from tfmigrate.families.native.tensors import source
from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.module import Module
from tfmigrate.tables.native.entry import Entry
from tfmigrate.tables.native.optimizers import (
    CONSTANT_RATE_ONLY,
    DIFFERENT_IF_SPARSE,
    OPTIMIZERS,
    SCHEDULES,
    SUMS_ROWS_FIRST,
)

_WRAPPERS = (
    "tensorflow.contrib.estimator.TowerOptimizer",
    "tensorflow.python.estimator.replicate_model_fn._TowerOptimizer",
)
_STEPS = (
    "tensorflow.train.get_global_step",
    "tensorflow.train.get_or_create_global_step",
    "tensorflow.contrib.framework.get_global_step",
    "tensorflow.contrib.framework.get_or_create_global_step",
)


@dataclass(frozen=True)
class FoundOptimizer:
    """The optimizer of a model function.

    Attributes:
        value: the expression whose ``minimize`` is called.
        loss: what it minimizes.
        place: where it is made.
    """

    value: ast.expr
    loss: ast.expr
    place: ast.Call


def find_optimizer(
    plan: Conversion, model: ModelFunction, train_op: ast.expr, dense: bool
) -> FoundOptimizer:
    """Returns the optimizer behind a training operation, and plans its edits.

    Args:
        plan: the conversion.
        model: the model function.
        train_op: the training operation.
        dense: whether gradients of embeddings have to be made dense.

    Raises:
        Refusal: the operation does something else.
    """
    module = model.module
    call = source(module, train_op)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        refuse(train_op, f"`{ast.unparse(call)[:60]}` is not `minimize` of an optimizer")
    if call.func.attr != "minimize":
        refuse(call, f"`{call.func.attr}` of an optimizer", "call `minimize`")
    loss = argument(call, 0, "loss")
    for keyword in call.keywords:
        if keyword.arg not in ("loss", "global_step", "name"):
            refuse(keyword.value, f"`{keyword.arg}` of `minimize`")
    step = argument(call, 1, "global_step")
    if loss is None or step is None or called(module, source(module, step)) not in _STEPS:
        refuse(call, "`minimize` does not count the global step")
    place = _made(plan, module, call.func.value)
    convert_optimizer(plan, module, place, dense)
    return FoundOptimizer(call.func.value, loss, place)


def _made(plan: Conversion, module: Module, node: ast.expr) -> ast.Call:
    """Returns where an optimizer is made, without the wrapper of towers."""
    values = [node]
    if isinstance(node, ast.Name):
        values = local_values(module, node) or []
    found: list[ast.Call] = []
    for value in values:
        made = value
        if called(module, made) in _WRAPPERS:
            assert isinstance(made, ast.Call)
            inner = argument(made, 0, "optimizer_or_optimizer_fn")
            if inner is None:
                refuse(made, "the TowerOptimizer has no optimizer")
            if isinstance(inner, ast.Name) and isinstance(node, ast.Name) and inner.id == node.id:
                plan.remove(module, module.statement(made))
                continue
            plan.edits[module].append(ReplaceExpression(made, Code("{0}", (inner,))))
            plan.leave_out(module, made, (inner,))
            made = inner if not isinstance(inner, ast.Name) else source(module, inner)
        if isinstance(made, ast.Call):
            found.append(made)
        else:
            refuse(made, f"`{ast.unparse(made)}` is not an optimizer that is created here")
    if len(found) != 1:
        refuse(node, "the optimizer is chosen from several")
    return found[0]


def convert_optimizer(plan: Conversion, module: Module, call: ast.Call, dense: bool) -> None:
    """Plans the edits of the call that makes an optimizer.

    Raises:
        Refusal: Keras has no such optimizer.
    """
    name = called(module, call)
    entry = OPTIMIZERS.get(name)
    if entry is None:
        what = name.replace("tensorflow.", "tf.", 1) or ast.unparse(call.func)
        refuse(call, f"the optimizer `{what}` is not in the vocabulary of --target keras")
    arguments = Arguments(module, call, entry)
    rate = arguments.of("learning_rate")
    scheduled = rate is not None and convert_schedule(plan, module, rate)
    if name in CONSTANT_RATE_ONLY and (scheduled or not _is_constant(module, rate)):
        entry = Entry("Momentum", entry.parameters, entry.added, entry.defaults)
        arguments = Arguments(module, call, entry)
    if dense and name in DIFFERENT_IF_SPARSE:
        refuse(call, f"`{ast.unparse(call.func)}` with the sparse gradients of an embedding")
    if dense and name in SUMS_ROWS_FIRST:
        target = entry.target.rpartition(".")[2]
        arguments.entry = Entry(target, entry.parameters, entry.added, entry.defaults)
        entry = arguments.entry
    if not entry.target.startswith("keras."):
        plan.write_out(module, entry.target)
    plan.needs(module, "keras")
    plan.replace(module, call, arguments.code(plan))


def _is_constant(module: Module, rate: ast.expr | None) -> bool:
    """Says whether a learning rate is a number, not a tensor."""
    if rate is None:
        return True
    return not any(
        (module.resolve(n) or "").startswith("tensorflow.")
        for n in ast.walk(source(module, rate))
        if isinstance(n, (ast.Name, ast.Attribute))
    )


def convert_schedule(plan: Conversion, module: Module, rate: ast.expr) -> bool:
    """Plans the edits of a learning rate that follows the global step; says whether it does."""
    value = source(module, rate)
    name = called(module, value)
    if name not in SCHEDULES:
        return False
    assert isinstance(value, ast.Call)
    arguments = Arguments(module, value, SCHEDULES[name])
    step = arguments.of("global_step") or arguments.of("x")
    if step is None or called(module, source(module, step)) not in _STEPS:
        refuse(value, "the learning rate depends on something other than the global step")
    plan.needs(module, "keras")
    plan.replace(module, value, arguments.code(plan))
    return True
