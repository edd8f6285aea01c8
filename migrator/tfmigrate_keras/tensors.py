"""Where tensors of a model function come from: the labels, and the output of the model.

Names are followed to the code that made them, as programs give one tensor several names. Two
tensors are the same only if no assignment is between their places.
"""

import ast

from tfmigrate.resolve.calls import called, named_arguments
from tfmigrate.resolve.module import Module
from tfmigrate_keras import conversion
from tfmigrate_keras.model_function import ModelFunction
from tfmigrate_keras.own_functions import definition
from tfmigrate_keras.tables.layers import FUNCTIONS

_OF_ONE_HOT = ("indices", "depth", "on_value", "off_value", "axis", "dtype")
CASTS = tuple(f"tensorflow.{name}" for name in ("cast", "to_float", "to_int32", "to_int64"))
_SAME_CLASSES = (*CASTS, "tensorflow.identity")


def source(module: Module, node: ast.expr) -> ast.expr:
    """Returns the expression that a name got its value from, followed through names and items."""
    seen: set[ast.expr] = set()
    while node not in seen:
        seen.add(node)
        if isinstance(node, ast.Name):
            value = conversion.value_before(module, node)
        elif isinstance(node, ast.Subscript):
            value = _item(module, node)
        else:
            value = None
        node = value or node
    return node


def value_of(module: Module, name: ast.Name) -> ast.expr | None:
    """Returns the one value that a name has from above its place on; None if there may be more."""
    values = conversion.local_values(module, name)
    return values[0] if values and len(values) == 1 else None


def _item(module: Module, node: ast.Subscript) -> ast.expr | None:
    """Returns the value of ``d['key']`` where d is a dictionary that is written out."""
    held = source(module, node.value)
    if isinstance(held, ast.Dict):
        for key, value in zip(held.keys, held.values, strict=True):
            if key is not None and ast.unparse(key) == ast.unparse(node.slice):
                return value
    return None


def is_labels(model: ModelFunction, node: ast.expr) -> bool:
    """Returns whether an expression is the labels, or casts them."""
    node = source(model.module, node)
    if isinstance(node, ast.Name):
        if node.id != model.parameters.get("labels"):
            return False
        anew = [model.module.parent(store) for store in set_above(model, node)]
        if (last := max(anew, key=model.module.position, default=None)) is None:
            return True
        plain = all(model.module.parent(one) is model.function for one in anew)
        return plain and isinstance(last, ast.Assign) and is_labels(model, last.value)
    if isinstance(node, ast.Call) and called(model.module, node) in _SAME_CLASSES:
        return bool(node.args) and is_labels(model, node.args[0])
    return False


def set_above(model: ModelFunction, name: ast.Name) -> list[ast.Name]:
    """Returns where a parameter of a model function was set anew above a place."""
    module = model.module
    return [
        node
        for node in module.all(ast.Name, model.function)
        if node.id == name.id
        and not isinstance(node.ctx, ast.Load)
        and module.position(node) < module.position(name)
        and name not in set(module.walk(module.statement(node)))
    ]


def one_hot_of_labels(model: ModelFunction, node: ast.expr) -> bool:
    """Returns whether an expression is ``tf.one_hot`` of the labels."""
    node = source(model.module, node)
    if called(model.module, node) != "tensorflow.one_hot":
        return False
    assert isinstance(node, ast.Call)
    arguments = named_arguments(node, _OF_ONE_HOT)
    known = {"on_value": (1,), "off_value": (0,), "axis": (-1, 1)}
    plain = set(arguments) <= {*_OF_ONE_HOT, "name"} and all(
        conversion.literal(arguments[name]) in values
        for name, values in known.items()
        if name in arguments
    )
    return plain and "indices" in arguments and is_labels(model, arguments["indices"])


def has_columns(plan: conversion.Conversion, module: Module, node: ast.expr) -> bool:
    """Returns whether an output is that of a layer, which has a row for each example."""
    origin = source(module, node)
    if called(module, origin) in FUNCTIONS:
        return True
    callee = definition(plan, module, origin.func) if isinstance(origin, ast.Call) else None
    if callee is None:
        return False
    home, function = callee
    returned = [statement.value for statement in home.returns(function)]
    return len(returned) == 1 and returned[0] is not None and has_columns(plan, home, returned[0])


def is_same(module: Module, first: ast.expr, second: ast.expr) -> bool:
    """Returns whether two expressions are the same tensor."""
    one, other = source(module, first), source(module, second)
    if one is other:
        return True
    if not isinstance(one, ast.Name) or not isinstance(other, ast.Name) or one.id != other.id:
        return False
    start, end = sorted((module.position(one), module.position(other)))
    function = module.function(one)
    return function is module.function(other) and not any(
        start < module.position(node) < end for node in conversion.stores(module, function, one.id)
    )
