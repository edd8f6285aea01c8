"""The optimizer that ``tf.contrib.layers.optimize_loss`` makes, and what it does to gradients.

One call makes an optimizer, its schedule, clipping and the training step, from strings, classes or
functions. It is taken apart, so that each part is converted as if the program had written it.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tfmigrate.model.edits import Code, RemoveParameters
from tfmigrate.resolve.calls import called, has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import is_none
from tfmigrate.resolve.syntax import is_text
from tfmigrate_keras.arguments import Arguments
from tfmigrate_keras.conversion import (
    Conversion,
    arguments_of,
    literal,
    local_values,
    refuse,
    resolved,
    stand_in,
)
from tfmigrate_keras.own_functions import definition
from tfmigrate_keras.tables.optimizers import GLOBAL_STEPS, OPTIMIZERS, SCHEDULES
from tfmigrate_keras.tensors import source
from tfmigrate_keras.training_step import is_used_once

OPTIMIZE_LOSS = "tensorflow.contrib.layers.optimize_loss"
_PARAMETERS = (
    *("loss", "global_step", "learning_rate", "optimizer", "gradient_noise_scale"),
    *("gradient_multipliers", "clip_gradients", "learning_rate_decay_fn", "update_ops"),
    *("variables", "name", "summaries", "colocate_gradients_with_ops", "increment_global_step"),
)
_ONLY = {
    "gradient_noise_scale": None,
    "gradient_multipliers": None,
    "update_ops": None,
    "variables": None,
    "increment_global_step": True,
}
_CLASSES = {
    "Adagrad": "AdagradOptimizer",
    "Adam": "AdamOptimizer",
    "Ftrl": "FtrlOptimizer",
    "Momentum": "MomentumOptimizer",
    "RMSProp": "RMSPropOptimizer",
    "SGD": "GradientDescentOptimizer",
}
_MOMENTUM = "momentum=0.9"  # of the optimizer "Momentum"
_PARTIAL = "functools.partial"


@dataclass(frozen=True)
class OptimizedLoss:
    """A call of ``optimize_loss``.

    Attributes:
        value: the expression that is the optimizer, or makes it; the call itself if it does.
        loss: what it minimizes.
        name: the class of the optimizer.
        optimizer_call: a call of that class, with the arguments that it gets.
        schedule: the learning rate, if it changes; its first node is the one that is given.
        limit: the global norm to which gradients are clipped; None for none.
        added: the code of further arguments.
    """

    value: ast.expr
    loss: ast.expr
    name: str
    optimizer_call: ast.Call
    schedule: Code | None
    limit: ast.expr | None
    added: tuple[str, ...] = ()


def read_optimize_loss(plan: Conversion, module: Module, call: ast.Call) -> OptimizedLoss:
    """Returns what a call of ``optimize_loss`` does.

    Raises:
        Refusal: Keras has nothing for an argument.
    """
    arguments = _arguments(module, call)
    limit = arguments.get("clip_gradients")
    if limit is not None and _is_function(plan, module, limit):
        refuse(limit, "`clip_gradients` of `optimize_loss` is a function")
    if literal(arguments.get("summaries")) not in ([], ()) and "summaries" in arguments:
        text = "the summaries of `tf.contrib.layers.optimize_loss` are not written"
        plan.unsafe.append((module, arguments["summaries"], text))
    rate = arguments.get("learning_rate")
    optimizer = arguments["optimizer"]
    name, optimizer_call = _optimizer(module, optimizer, rate)
    schedule = None
    if rate is not None and "learning_rate_decay_fn" in arguments:
        schedule = _schedule(plan, module, arguments["learning_rate_decay_fn"], rate)
        if not any(
            rate is value
            for value in (*optimizer_call.args, *(k.value for k in optimizer_call.keywords))
        ):
            refuse(optimizer, "the optimizer does not get the learning rate of `optimize_loss`")
    value = optimizer if optimizer_call is source(module, optimizer) else call
    added = (_MOMENTUM,) if literal(source(module, optimizer)) == "Momentum" else ()
    return OptimizedLoss(value, arguments["loss"], name, optimizer_call, schedule, limit, added)


def _arguments(module: Module, call: ast.Call) -> dict[str, ast.expr]:
    """Returns the arguments of ``optimize_loss`` that are not None."""
    arguments = arguments_of(call, _PARAMETERS, "`optimize_loss`")
    for name, value in arguments.items():
        if name in _ONLY and literal(value) is not _ONLY[name]:
            refuse(value, f"`{name}` of `optimize_loss`")
    arguments = {name: value for name, value in arguments.items() if not is_none(value)}
    step = arguments.get("global_step")
    if step is not None and called(module, source(module, step)) not in GLOBAL_STEPS:
        refuse(step, "`optimize_loss` does not count the global step")
    for name in ("loss", "optimizer"):
        if name not in arguments:
            refuse(call, f"`optimize_loss` has no `{name}`")
    return arguments


def _optimizer(module: Module, node: ast.expr, rate: ast.expr | None) -> tuple[str, ast.Call]:
    """Returns the class of the optimizer, and a call of it with its arguments."""
    value = source(module, node)
    text = literal(value)
    if isinstance(text, str) and text in _CLASSES and rate is not None:
        return f"tensorflow.train.{_CLASSES[text]}", _call(value, rate)
    if resolved(module, value) in OPTIMIZERS and rate is not None:
        return resolved(module, value), _call(value, rate)
    if called(module, value) in OPTIMIZERS and isinstance(value, ast.Call):
        return called(module, value), value
    if isinstance(value, ast.Lambda) and isinstance(value.body, ast.Call):
        return called(module, value.body), _of_lambda(value, [rate] if rate is not None else [])
    if called(module, value) == _PARTIAL and isinstance(value, ast.Call) and rate is not None:
        return resolved(module, value.args[0]), _of_partial(value, [rate])
    refuse(node, f"`{ast.unparse(node)[:60]}` is not an optimizer that is known")


def _call(function: ast.expr, rate: ast.expr) -> ast.Call:
    return stand_in(function, function, [rate])


def _of_lambda(node: ast.Lambda, values: Sequence[ast.expr]) -> ast.Call:
    """Returns the call that a lambda makes, with values in the places of its parameters."""
    call, names = node.body, [a.arg for a in node.args.args]
    if len(names) != len(values) or not isinstance(call, ast.Call) or has_star_arguments(call):
        refuse(node, f"`{ast.unparse(node)[:60]}` takes other arguments than it is given")
    passed = dict(zip(names, values, strict=True))

    def of(value: ast.expr) -> ast.expr:
        if isinstance(value, ast.Name) and value.id in passed:
            return passed[value.id]
        if any(isinstance(n, ast.Name) and n.id in passed for n in ast.walk(value)):
            refuse(value, f"`{ast.unparse(value)[:60]}` is computed from the learning rate")
        return value

    keywords = [ast.keyword(k.arg, of(k.value)) for k in call.keywords]
    return stand_in(call, call.func, [of(value) for value in call.args], keywords)


def _of_partial(node: ast.Call, values: Sequence[ast.expr]) -> ast.Call:
    """Returns the call that a ``functools.partial`` makes with values."""
    if has_star_arguments(node):
        refuse(node, f"the arguments of `{ast.unparse(node)[:60]}`")
    return stand_in(node, node.args[0], [*node.args[1:], *values], node.keywords)


def _schedule(plan: Conversion, module: Module, node: ast.expr, rate: ast.expr) -> Code:
    """Returns the learning rate that a function makes of the one that is given and of the step."""
    step = ast.Name("global_step", ast.Load())
    value = source(module, node)
    if isinstance(value, ast.Lambda):
        return _schedule_of(plan, module, _of_lambda(value, [rate, step]), rate, step)
    if called(module, value) == _PARTIAL and isinstance(value, ast.Call):
        return _schedule_of(plan, module, _of_partial(value, [rate, step]), rate, step)
    if (own_function := definition(plan, module, value)) is None:
        refuse(node, "cannot find the `learning_rate_decay_fn`")
    home, function = own_function
    body = [s for s in function.body if not is_text(s)]
    names = [a.arg for a in function.args.args]
    returned = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    counts = len(names) == len(("learning_rate", "global_step"))
    if not isinstance(returned, ast.Call) or not counts or not is_used_once(plan, function):
        refuse(function, f"`{function.name}` does more than to return a learning rate")
    places = [n for n in home.all(ast.Name, function) if n.id in names]
    passed_names = {n.id: n for n in places if home.parent(n) in (returned, *returned.keywords)}
    if len(places) != len(names) or set(passed_names) != set(names):
        refuse(function, f"`{function.name}` computes the learning rate in another way")
    code = _schedule_of(plan, home, returned, passed_names[names[0]], passed_names[names[1]])
    plan.replace(home, returned, code)
    plan.edits[home].append(RemoveParameters(function, (names[1],)))
    return Code("{1}({0})", (rate, node))


def _schedule_of(
    plan: Conversion, module: Module, call: ast.Call, rate: ast.expr, step: ast.expr
) -> Code:
    """Returns the schedule of Keras for a call; its first node is the learning rate."""
    if (entry := SCHEDULES.get(resolved(module, call.func))) is None:
        refuse(call.func, f"Keras has no learning rate `{ast.unparse(call)[:60]}`")
    arguments = Arguments(module, call, entry)
    if (arguments.of("global_step") or arguments.of("x")) is not step:
        refuse(call.func, "the learning rate depends on something other than the global step")
    if arguments.of("learning_rate") is not rate:
        refuse(call.func, "the learning rate of `optimize_loss` is not the first one")
    plan.needs(module, "keras")
    code = arguments.code(plan)
    texts = ", ".join(code.arguments)
    at = code.parts.index(rate)
    order = [at, *(i for i in range(len(code.parts)) if i != at)]
    places = {old: new for new, old in enumerate(order)}
    texts = texts.format(*(f"{{{places[i]}}}" for i in range(len(order))))
    return Code(f"{code.template}({texts})", tuple(code.parts[i] for i in order))


def _is_function(plan: Conversion, module: Module, node: ast.expr) -> bool:
    """Returns whether an expression may be a function and not a number."""
    value = source(module, node)
    named = isinstance(value, ast.Name) and local_values(module, value) is None
    return (
        isinstance(value, (ast.Lambda, ast.Call))
        or definition(plan, module, value) is not None
        or resolved(module, value).startswith("tensorflow.")
        or (named and not isinstance(node, ast.Constant))
    )
