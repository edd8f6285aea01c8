"""Initializers that are passed to functions of the program, which make variables with them."""

from __future__ import annotations

import ast
from itertools import takewhile

from tfmigrate.families.native.arguments import Arguments
from tfmigrate.families.native.conversion import REPEATED, Conversion, called, reads, refuse
from tfmigrate.families.native.own_functions import definition
from tfmigrate.resolve.module import Module
from tfmigrate.tables.native.initializers import INITIALIZERS

_SAME_EACH_TIME = ("zeros", "ones", "constant", "identity")


def convert_passed_initializer(plan: Conversion, module: Module, call: ast.Call) -> bool:
    """Replaces an initializer that is an argument of a function; says whether it is one.

    Raises:
        Refusal: several variables would get the same random values.
    """
    if _function_of(plan, module, call) is None:
        return False
    if _is_random(module, call):
        _check_used_once(plan, module, call, set())
    plan.needs(module, "keras")
    entry = INITIALIZERS[called(module, call)]
    plan.replace(module, call, Arguments(module, call, entry).code(plan))
    return True


def _is_random(module: Module, call: ast.Call) -> bool:
    """Says whether an initializer draws other values each time, which one of Keras does not."""
    name = called(module, call).rpartition(".")[2]
    seed = next((k.value for k in call.keywords if k.arg == "seed"), None)
    seeded = isinstance(seed, ast.Constant) and seed.value is not None
    return not name.startswith(_SAME_EACH_TIME) and not seeded


def _function_of(
    plan: Conversion, module: Module, value: ast.expr
) -> tuple[ast.FunctionDef, str] | None:
    """Returns the function that a value is an argument of, and the parameter."""
    parent = module.parent(value)
    keyword = parent.arg if isinstance(parent, ast.keyword) else None
    call = module.parent(parent) if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call) or call.func is value:
        return None
    found = definition(plan, module, call.func)
    if found is None or found[0] is not module:
        return None
    names = [a.arg for a in found[1].args.args]
    if keyword is None:
        place = call.args.index(value)
        starred = any(isinstance(a, ast.Starred) for a in call.args[: place + 1])
        keyword = names[place] if place < len(names) and not starred else ""
    return (found[1], keyword) if keyword in names else None


def _check_used_once(plan: Conversion, module: Module, value: ast.expr, seen: set[ast.AST]) -> None:
    found = _function_of(plan, module, value)
    if found is None:
        return
    function, parameter = found
    loads = reads(module, parameter, function)
    for node in loads:
        around = takewhile(lambda outer: outer is not function, module.ancestors(node))
        repeated = any(isinstance(outer, REPEATED) for outer in around)
        if len(loads) > 1 or repeated or function in seen:
            refuse(node, f"several variables may be drawn by `{parameter}`, without a seed")
        _check_used_once(plan, module, node, seen | {function})
