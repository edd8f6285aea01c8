"""The optimizer and the training operation of a model function.

Optimizers of Keras take the same arguments and differ where it does not show at once: with
gradients of embeddings, with a learning rate that changes, in the first average (semantics.md,
section 4). A class that computes what TensorFlow 1.15 did is written out where one is known; others
are refused.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.resolve.calls import argument, called
from tfmigrate.resolve.module import Module
from tfmigrate_keras.arguments import Arguments
from tfmigrate_keras.clipping import Clipping, read_clipping
from tfmigrate_keras.conversion import Conversion, local_values, refuse
from tfmigrate_keras.model_function import ModelFunction
from tfmigrate_keras.optimize_loss import OPTIMIZE_LOSS, read_optimize_loss
from tfmigrate_keras.tables import optimizers
from tfmigrate_keras.tensors import CASTS, source
from tfmigrate_keras.training_step import TrainingStep, called_step, check_known

_WRAPPERS = (
    "tensorflow.contrib.estimator.TowerOptimizer",
    "tensorflow.python.estimator.replicate_model_fn._TowerOptimizer",
)


@dataclass(frozen=True)
class FoundOptimizer:
    """The optimizer of a model function.

    Attributes:
        value: the expression whose ``minimize`` is called.
        loss: what it minimizes.
        place: where it is made.
        step: the call that trains.
        updates: whether that call runs the updates of the layers, too.
        name: the variable that is assigned in the place of that call; "" for none.
        helper: whether a function of the program, which ``place`` calls, makes and returns it.
    """

    value: ast.expr
    loss: ast.expr
    place: ast.Call
    step: ast.Call
    updates: bool = False
    name: str = ""
    helper: bool = False


def find_optimizer(
    plan: Conversion, model: ModelFunction, train_op: ast.expr, dense: bool
) -> FoundOptimizer:
    """Returns the optimizer behind a training operation, and plans its edits.

    Args:
        model: the model function.
        train_op: the training operation.
        dense: whether gradients of embeddings have to be made dense.

    Raises:
        Refusal: the operation does something else.
    """
    module = model.module
    train_call = source(module, train_op)
    if not isinstance(train_call, ast.Call):
        refuse(train_op, f"`{ast.unparse(train_call)[:60]}` is not `minimize` of an optimizer")
    if called(module, train_call) == OPTIMIZE_LOSS:
        return _of_optimize_loss(plan, module, train_call, dense)
    step = called_step(plan, module, train_call)
    call = step.call
    assert isinstance(call.func, ast.Attribute)
    inside = step.makes_optimizer()
    outside = step.unchanged if inside else step.outside
    home = step.module if inside else module
    clipping = None
    if call.func.attr == "apply_gradients":
        clipping = read_clipping(plan, step.module, call)
        _check_shared(plan, clipping)
        loss: ast.expr | None = clipping.loss
        optimizer = outside(call.func.value)
        if ast.unparse(outside(clipping.optimizer)) != ast.unparse(optimizer):
            refuse(call, "another optimizer computes the gradients")
    else:
        loss, optimizer = argument(call, 0, "loss"), outside(call.func.value)
    for keyword in call.keywords:
        if keyword.arg not in ("loss", "global_step", "name", "grads_and_vars"):
            refuse(keyword.value, f"`{keyword.arg}` of `{call.func.attr}`")
    counter = argument(call, 1, "global_step")
    if loss is None or counter is None or not _is_step(step, counter):
        refuse(call, f"`{call.func.attr}` does not count the global step")
    place = _made(plan, home, optimizer)
    limit = ""
    if clipping is not None and clipping.limit is not None:
        if dense and clipping.parameter != "global_clipnorm":
            refuse(call, "gradients of an embedding that are clipped one by one")
        value = outside(clipping.limit)
        check_known(home, value, place)
        limit = f"{clipping.parameter}={home.code(value)}"
    outer_loss = step.outside(loss)
    convert_optimizer(plan, home, place, dense, limit)
    if inside:
        return FoundOptimizer(
            optimizer,
            outer_loss,
            step.return_optimizer(plan, loss, counter),
            train_call,
            helper=True,
        )
    step.remove(plan)
    return FoundOptimizer(optimizer, outer_loss, place, train_call)


def _of_optimize_loss(
    plan: Conversion, module: Module, call: ast.Call, dense: bool
) -> FoundOptimizer:
    """Returns the optimizer of ``optimize_loss``: where it makes one, it takes the call's place."""
    optimized_loss = read_optimize_loss(plan, module, call)
    added = list(optimized_loss.added)
    if optimized_loss.limit is not None:
        if dense:
            refuse(call, "clipped gradients of an embedding, which Keras adds up first")
        added.append(f"global_clipnorm={module.code(optimized_loss.limit)}")
    code = _code(
        plan,
        module,
        optimized_loss.name,
        optimized_loss.optimizer_call,
        dense,
        added,
        optimized_loss.schedule,
    )
    if optimized_loss.value is not call:
        plan.replace(module, optimized_loss.optimizer_call, code)
        return FoundOptimizer(
            optimized_loss.value,
            optimized_loss.loss,
            optimized_loss.optimizer_call,
            call,
            updates=True,
        )
    statement = module.statement(call)
    if isinstance(statement, ast.Assign) and statement.value is call:
        bound = {n.id for n in module.all(ast.Name, module.function(call))}
        name = "optimizer" if "optimizer" not in bound else "keras_optimizer"
        assigned = Code(f"{name} = {code.template}", code.parts, code.arguments)
        plan.rewrite(module, statement, assigned)
        return FoundOptimizer(call, optimized_loss.loss, call, call, updates=True, name=name)
    plan.replace(module, call, code)
    return FoundOptimizer(call, optimized_loss.loss, call, call, updates=True)


def _is_step(step: TrainingStep, counter: ast.expr) -> bool:
    """Returns whether an expression is the global step."""
    inner = source(step.module, counter)
    if called(step.module, inner) in optimizers.GLOBAL_STEPS:
        return True
    outer_counter = step.outside(inner)
    return called(step.caller, source(step.caller, outer_counter)) in optimizers.GLOBAL_STEPS


def _check_shared(plan: Conversion, clipping: Clipping) -> None:
    """Refuses an iterator of gradients, of which only one tower would see the items."""
    towers = any(module.calls_of(name) for module in plan.program.modules for name in _WRAPPERS)
    if clipping.shared is not None and towers:
        reason = "the towers share an iterator, so that only one of them applies its gradients"
        refuse(clipping.shared, reason, "pass a list")


def _made(plan: Conversion, module: Module, node: ast.expr) -> ast.Call:
    """Returns where an optimizer is made, without the wrapper of towers."""
    values = [node]
    if isinstance(node, ast.Name):
        values = local_values(module, node) or []
    optimizer_calls: list[ast.Call] = []
    for value in values:
        optimizer = value
        if called(module, optimizer) in _WRAPPERS:
            assert isinstance(optimizer, ast.Call)
            if (inner := argument(optimizer, 0, "optimizer_or_optimizer_fn")) is None:
                refuse(optimizer, "the TowerOptimizer has no optimizer")
            if isinstance(inner, ast.Name) and isinstance(node, ast.Name) and inner.id == node.id:
                plan.remove(module, module.statement(optimizer))
                continue
            plan.edits[module].append(ReplaceExpression(optimizer, Code("{0}", (inner,))))
            plan.leave_out(module, optimizer, (inner,))
            optimizer = inner if not isinstance(inner, ast.Name) else source(module, inner)
        if isinstance(optimizer, ast.Call):
            optimizer_calls.append(optimizer)
        else:
            refuse(
                optimizer, f"`{ast.unparse(optimizer)}` is not an optimizer that is created here"
            )
    if len(optimizer_calls) != 1:
        refuse(node, "the optimizer is chosen from several")
    return optimizer_calls[0]


def convert_optimizer(
    plan: Conversion, module: Module, call: ast.Call, dense: bool, limit: str = ""
) -> None:
    """Plans the edits of the call that makes an optimizer.

    Args:
        dense: whether gradients of embeddings have to be made dense.
        limit: the code of an argument that limits gradients; "" for none.

    Raises:
        Refusal: Keras has no such optimizer.
    """
    plan.replace(
        module,
        call,
        _code(plan, module, called(module, call), call, dense, [limit] if limit else []),
    )


def _code(
    plan: Conversion,
    module: Module,
    name: str,
    call: ast.Call,
    dense: bool,
    added: Sequence[str],
    schedule: Code | None = None,
) -> Code:
    """Returns the code that makes the optimizer of a class with the arguments of a call.

    A schedule is the learning rate instead of its first node.
    """
    if (entry := optimizers.OPTIMIZERS.get(name)) is None:
        what = name.replace("tensorflow.", "tf.", 1) or ast.unparse(call.func)
        refuse(call, f"the optimizer `{what}` is not in the vocabulary of --target keras")
    arguments = Arguments(module, call, entry)
    rate = arguments.of("learning_rate")
    scheduled = schedule is not None or (rate is not None and convert_schedule(plan, module, rate))
    target = entry.target
    if name in optimizers.CONSTANT_RATE_ONLY and (scheduled or not _is_constant(module, rate)):
        target = "Momentum"
    if dense and name == optimizers.MOMENTUM:
        target = "SparseMomentum"
    elif dense and name in optimizers.DIFFERENT_IF_SPARSE:
        refuse(call, f"`{ast.unparse(call.func)}` with the sparse gradients of an embedding")
    elif dense and name in optimizers.SUMS_ROWS_FIRST:
        target = target.rpartition(".")[2]
    if not target.startswith("keras."):
        plan.write_out(module, target)
    arguments.entry = replace(entry, target=target)
    plan.needs(module, "keras")
    code = arguments.code(plan)
    texts = code.arguments
    if schedule is not None and rate is not None:
        at = code.parts.index(rate)
        others = schedule.parts[1:]
        places = [at, *range(len(code.parts), len(code.parts) + len(others))]
        changed = schedule.template.format(*(f"{{{place}}}" for place in places))
        texts = tuple(text.replace(f"{{{at}}}", changed) for text in texts)
        code = Code(code.template, (*code.parts, *others), texts)
    return Code(code.template, code.parts, (*texts, *added)) if added else code


def _is_constant(module: Module, rate: ast.expr | None) -> bool:
    """Returns whether a learning rate is a number, not a tensor."""
    if rate is None:
        return True
    return not any(
        (module.resolve(n) or "").startswith("tensorflow.")
        for n in ast.walk(source(module, rate))
        if isinstance(n, (ast.Name, ast.Attribute))
    )


def _counts(module: Module, step: ast.expr) -> bool:
    """Returns whether an expression is the global step, perhaps as another type."""
    if called(module, step) in CASTS and isinstance(step, ast.Call) and step.args:
        return _counts(module, source(module, step.args[0]))
    return called(module, step) in optimizers.GLOBAL_STEPS


def convert_schedule(plan: Conversion, module: Module, rate: ast.expr) -> bool:
    """Plans the edits of a learning rate that follows the global step; says whether it does."""
    value = source(module, rate)
    if (name := called(module, value)) not in optimizers.SCHEDULES:
        return False
    assert isinstance(value, ast.Call)
    arguments = Arguments(module, value, optimizers.SCHEDULES[name])
    step = arguments.of("global_step") or arguments.of("x")
    if step is None or not _counts(module, source(module, step)):
        refuse(value, "the learning rate depends on something other than the global step")
    plan.needs(module, "keras")
    plan.replace(module, value, arguments.code(plan))
    return True
