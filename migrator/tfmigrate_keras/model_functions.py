"""The functions that build a model: the model function and those that it calls, one by one.

Each is converted with the modes that it is called with, so that its callers come first. Flags of
the mode that they pass are removed, as Keras passes the mode to the layers itself.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tfmigrate.model.edits import ArrangeArguments, RemoveParameters
from tfmigrate_keras.conversion import Conversion, refuse
from tfmigrate_keras.embeddings import convert_embeddings
from tfmigrate_keras.expressions import Built, ModelCode
from tfmigrate_keras.own_functions import OwnCall, OwnFunction, calls_of, own_calls
from tfmigrate_keras.recurrent import convert_recurrent
from tfmigrate_keras.unused import remove_summaries, remove_unused


def convert_functions(plan: Conversion, start: OwnFunction, model: Built) -> None:
    """Plans the edits of a model function and of what it calls.

    Args:
        start: the model function.
        model: the model that it builds.

    Raises:
        Refusal: something in them has no successor in Keras.
    """
    waiting = [start]
    while waiting:
        own = waiting.pop()
        module, function = own.module, own.function
        if function in plan.model_code:
            refuse(function, f"`{function.name}` is called in several ways")
        plan.model_code[function] = module
        remove_summaries(plan, module, function)
        remove_unused(plan, module, function)
        convert_embeddings(plan, module, function, own.once)
        convert_recurrent(plan, module, function)
        calls = list(own_calls(plan, own))
        waiting += _without_flags(plan, calls)
        ModelCode(plan, own, model).convert()
        remove_unused(plan, module, function)
        for node in plan.left(module.all(ast.Name, function)):
            if isinstance(node.ctx, ast.Load) and own.modes.depends(node):
                refuse(node, f"`{node.id}` depends on the mode, and Keras has one model")


def _without_flags(plan: Conversion, calls: Iterable[OwnCall]) -> Iterator[OwnFunction]:
    """Yields each function that is called once; its flags of the mode are removed."""
    by_function: dict[ast.FunctionDef, list[OwnCall]] = {}
    for call in calls:
        by_function.setdefault(call.callee.function, []).append(call)
    for function, of_function in by_function.items():
        in_loss = {plan.is_of_values(one.module, one.call) for one in of_function}
        known = function in plan.model_code
        if any(in_loss) != (function in plan.of_values) if known else len(in_loss) > 1:
            refuse(function, f"`{function.name}` is called in the model and in its loss")
        if known:
            continue
        if any(in_loss):
            plan.of_values.add(function)
        callee = of_function[0].callee
        if any(one.callee.modes.flags != callee.modes.flags for one in of_function):
            refuse(function, f"`{function.name}` is called with different modes")
        if flags := tuple(callee.modes.flags):
            _check_all(plan, function, of_function)
            for one in of_function:
                _leave_out(plan, one)
            plan.edits[callee.module].append(RemoveParameters(function, flags))
        yield replace(callee, once=callee.once and len(of_function) == 1)


def _check_all(plan: Conversion, function: ast.FunctionDef, calls: Iterable[OwnCall]) -> None:
    """Refuses calls of a function that keep the flags that it loses."""
    known = [own.call for own in calls]
    for call in plan.left(call for _, call in calls_of(plan, function)):
        if call not in known:
            refuse(call, f"`{function.name}` is called outside of the model function, too")


def _leave_out(plan: Conversion, own: OwnCall) -> None:
    """Removes the flags of the mode from the arguments of a call."""
    names = [a.arg for a in own.callee.function.args.args]
    passed = [(names[position], "", value) for position, value in enumerate(own.call.args)]
    passed += [(k.arg or "", k.arg or "", k.value) for k in own.call.keywords]
    arguments = []
    for name, keyword, value in passed:
        if name in own.callee.modes.flags:
            plan.leave_out(own.module, value)
        else:
            arguments.append((keyword, value))
    plan.edits[own.module].append(ArrangeArguments(own.call, tuple(arguments)))
