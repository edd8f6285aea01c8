"""Calls: their arguments, and the functions that they call."""

import ast
from collections.abc import Iterable

from tfmigrate.resolve.module import Module
from tfmigrate.tables.runtime_api import replaced


def argument(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    """Returns a call's argument by position or keyword, None where it is not given."""
    if position < len(call.args):
        return call.args[position]
    return next((k.value for k in call.keywords if k.arg in names), None)


def called(module: Module, node: ast.AST | None) -> str:
    """Returns the qualified name of the function that a node calls; "" for other nodes."""
    return (module.resolve(node.func) or "") if isinstance(node, ast.Call) else ""


def method_calls(
    module: Module, *names: str, within: ast.AST | None = None
) -> list[tuple[ast.Call, ast.Attribute]]:
    """Returns the calls of methods of some names, of whatever objects, each with the method.

    Args:
        within: the code to look in; None for the file.
    """
    calls = ((call, call.func) for call in module.all(ast.Call, within))
    return [(c, m) for c, m in calls if isinstance(m, ast.Attribute) and m.attr in names]


def called_on(node: ast.AST | None, *names: str) -> ast.expr | None:
    """Returns the object whose method of one of some names a node calls; None for other nodes."""
    method = node.func if isinstance(node, ast.Call) else None
    return method.value if isinstance(method, ast.Attribute) and method.attr in names else None


def positional_names(module: Module, function: ast.FunctionDef) -> list[str]:
    """Returns the parameters that calls pass by position: of a method, those after the object."""
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    return names[1:] if isinstance(module.parent(function), ast.ClassDef) else names


def passed_for(
    module: Module, function: ast.FunctionDef, call: ast.Call, name: str
) -> ast.expr | None:
    """Returns what a call passes for a parameter of a function; None where that is not known.

    Args:
        module: the file of the function.
    """
    names = positional_names(module, function)
    index = names.index(name) if name in names else len(call.args)
    hidden = any(isinstance(value, ast.Starred) for value in call.args[: index + 1])
    return argument(call, len(call.args) if hidden else index, name)


def named_arguments(call: ast.Call, names: Iterable[str]) -> dict[str, ast.expr]:
    """Returns a call's arguments by the names of its parameters, those of ``**`` by ""."""
    positional = dict(zip(names, call.args, strict=False))
    return positional | {keyword.arg or "": keyword.value for keyword in call.keywords}


def written_arguments(call: ast.Call) -> list[tuple[str, ast.expr]]:
    """Returns a call's arguments with their names as they are written, "" for none."""
    return [("", v) for v in call.args] + [(k.arg or "", k.value) for k in call.keywords]


def called_builtin(module: Module, node: ast.AST) -> str:
    """Returns the name of Python's own function that a node calls, "" for other nodes."""
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(function, ast.Name):
        return ""
    return "" if module.bindings(function) else function.id


def has_star_arguments(call: ast.Call) -> bool:
    """Returns whether a call has ``*args`` or ``**kwargs``, which hide what is passed."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    )


def same(first: ast.expr | None, second: ast.expr | None) -> bool:
    """Returns whether two expressions are the same code, whatever their context."""
    if first is None or second is None:
        return first is second
    return ast.unparse(first) == ast.unparse(second)


def original_calls(module: Module, *names: str) -> list[ast.Call]:
    """Returns the calls of the runtime's replacements of some names of TensorFlow 1.x."""
    if not module.mentions("tfmigrate_runtime"):
        return []
    ours = [c for c in module.all(ast.Call) if called(module, c).startswith("tfmigrate_runtime.")]
    return [call for call in ours if replaced(called(module, call)) in names]


def last_name(node: ast.expr) -> str:
    """Returns the last name of a chain, "" for none."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
