"""The scopes of a graph: blocks that only say how or where something is made."""

from __future__ import annotations

import ast

from tfmigrate.families.native.conversion import called
from tfmigrate.resolve.module import Module

AFTER = "tensorflow.control_dependencies"
"""What makes the operations of a block run after others."""

_TRAINS = ("apply", "apply_gradients", "minimize")
AVERAGES = "tensorflow.train.ExponentialMovingAverage"
_JOINS = ("tensorflow.group", "tensorflow.no_op", AVERAGES)
_SCOPES = ("tensorflow.device", "tensorflow.name_scope", "tensorflow.variable_scope")


def is_scope(module: Module, node: ast.expr) -> bool:
    """Says whether the context of a ``with`` is a scope of names, devices or a graph."""
    if called(module, node) in _SCOPES:
        return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "as_default" and not node.args
    return False


def is_block_of_scopes(module: Module, statement: ast.stmt) -> bool:
    """Says whether a statement is a ``with`` of nothing but scopes."""
    return isinstance(statement, ast.With) and all(
        is_scope(module, item.context_expr) for item in statement.items
    )


def is_block_of_operations(module: Module, statement: ast.stmt) -> bool:
    """Says whether a ``with`` makes nothing but operations that train after others."""
    if not isinstance(statement, ast.With) or len(statement.items) != 1:
        return False
    context = statement.items[0].context_expr
    after = isinstance(context, ast.Call) and called(module, context) == AFTER
    return after and all(_makes_operation(module, inner) for inner in statement.body)


def _makes_operation(module: Module, statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Assign) else None
    if called(module, value) in _JOINS:
        return True
    function = value.func if isinstance(value, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr in _TRAINS
