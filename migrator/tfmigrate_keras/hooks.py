"""Hooks of an Estimator that only write logs: Keras writes its own.

Such hooks are left out with ``--unsafe`` only, as the program loses lines that someone may read.
"""

import ast
from collections.abc import Sequence

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import Conversion, literal, refuse
from tfmigrate_keras.tensors import source

_LOGS = frozenset(
    f"tensorflow.{package}.{name}"
    for package in ("train", "estimator")
    for name in ("LoggingTensorHook", "StepCounterHook", "ProfilerHook", "SummarySaverHook")
)


def remove_hooks(
    plan: Conversion, module: Module, node: ast.expr, left_hooks: Sequence[ast.expr] = ()
) -> None:
    """Removes the hooks of a call; only with ``--unsafe``, as their logs are not written.

    Raises:
        Refusal: one of them does more than write logs.
    """
    if literal(node) in (None, [], ()):
        return
    held = source(module, node)
    if not isinstance(held, (ast.List, ast.Tuple)):
        refuse(node, "the hooks are not written out as a list", "Write them as a list.")
    used: list[ast.expr] = [] if left_hooks else [node, held]
    for element in held.elts:
        if element in left_hooks:
            continue
        hook = source(module, element)
        if (name := called(module, hook)) not in _LOGS:
            refuse(element, f"the hook `{ast.unparse(hook)[:60]}`")
        if plan.first_time(hook):
            what = name.replace("tensorflow.", "tf.", 1)
            plan.unsafe.append((module, hook, f"the logs of `{what}` are not written"))
        used += [
            hook,
            *(k.value for k in getattr(hook, "keywords", ())),
            *getattr(hook, "args", ()),
        ]
    if not left_hooks:
        plan.leave_out(module, node)
    elif len(left_hooks) < len(held.elts):
        places = ", ".join(f"{{{index}}}" for index in range(len(left_hooks)))
        plan.replace(module, held, Code(f"[{places}]", tuple(left_hooks)))
    for value in used:
        remove_value(plan, module, source(module, value))


def remove_value(plan: Conversion, module: Module, value: ast.expr) -> None:
    """Removes the assignment of a value that nothing uses any more."""
    statement = module.statement(value)
    if plan.is_removed(statement) or not isinstance(statement, ast.Assign):
        return
    target = statement.targets[0]
    if statement.value is not value or not isinstance(target, ast.Name):
        return
    scope, bindings = module.names.variable(target)
    if not any(plan.left(module.reads(target.id, scope))) and len(bindings) == 1:
        plan.remove(module, statement)
