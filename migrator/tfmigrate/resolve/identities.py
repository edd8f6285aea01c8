"""Whether two expressions mean the same variable, attribute or value."""

import ast
from collections.abc import Hashable

from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.origins import class_around, given_for, is_self
from tfmigrate.resolve.scopes import AssignBinding

Identity = Hashable
_DEPTH = 8  # of names that are aliases of names


def identity(module: Module, node: ast.expr) -> Identity | None:
    """Returns what two expressions of a file have in common where they mean the same.

    A name that is only an alias of a variable or an attribute means that. Names of
    different scopes are different, however they are called.

    Returns:
        None where an expression is not a chain of names, attributes and keys.
    """
    return _identity(module, node, _DEPTH)


@asked_once
def _identity(module: Module, node: ast.expr, depth: int) -> Identity | None:
    if isinstance(node, ast.Name):
        if is_self(module, node):
            return ("self", class_around(module, node))
        others = _other_names_of(module, node) if depth else []
        known = {_identity(module, other, depth - 1) for other in others}
        if len(known) == 1 and known != {None}:
            return known.pop()
        scope = module.scope(node)
        return (scope.node if scope else None, node.id)
    if isinstance(node, ast.Attribute):
        owner = _identity(module, node.value, depth)
        return None if owner is None else (owner, "attribute", node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner = _identity(module, node.value, depth)
        return None if owner is None else (owner, "key", node.slice.value)
    return None


def _other_names_of(module: Module, name: ast.Name) -> list[ast.expr]:
    """Returns what a name is an alias of: an assignment's value, or the calls' arguments."""
    bindings = module.bindings(name)
    if len(bindings) != 1:
        return []
    (binding,) = bindings
    if isinstance(binding, AssignBinding):
        return [binding.value]
    parameter = getattr(binding, "node", None)
    return (given_for(module, parameter) if isinstance(parameter, ast.arg) else None) or []
