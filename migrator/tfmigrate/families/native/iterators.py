"""Input functions that take the elements of a Dataset apart and return them in another form."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.families.native.conversion import Conversion, called
from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import has_star_arguments
from tfmigrate.resolve.kinds import Kind, kind_of
from tfmigrate.resolve.module import Module

_METHOD = "make_one_shot_iterator"
_FUNCTION = f"tensorflow.data.{_METHOD}"


def return_mapped(
    plan: Conversion, module: Module, function: ast.FunctionDef, statement: ast.Return
) -> bool:
    """Plans ``dataset.map`` for ``x, y = (...).get_next()`` above ``return {'x': x}, y``.

    Returns:
        Whether the statement is such a return.
    """
    above = _above(module, statement)
    value = statement.value
    if not isinstance(above, ast.Assign) or not isinstance(value, ast.Tuple):
        return False
    dataset = _dataset(module, above.value)
    names = _names(above)
    if dataset is None or not names or not _is_rearranged(value, names):
        return False
    inside = set(module.walk(value))
    for node in module.all(ast.Name, function):
        if node.id in names and isinstance(node.ctx, ast.Load) and node not in inside:
            return False
    function_of_map = f"lambda {', '.join(names)}: ({{1}}, {{2}})"
    mapped = Code("return {0}.map", (dataset, *value.elts), (function_of_map,))
    plan.drop(module, above, (dataset,))
    plan.replace_statement(module, statement, mapped)
    return True


def _above(module: Module, statement: ast.stmt) -> ast.stmt | None:
    """Returns the statement right above one in the same block."""
    block = getattr(module.parent(statement), "body", [])
    position = block.index(statement) if statement in block else 0
    above: ast.stmt | None = block[position - 1] if position else None
    return above


def _dataset(module: Module, node: ast.expr) -> ast.expr | None:
    """Returns the Dataset of which an expression is the next element."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    made = node.func.value
    if node.func.attr != "get_next" or node.args or node.keywords:
        return None
    if not isinstance(made, ast.Call) or has_star_arguments(made):
        return None
    if called(module, made) == _FUNCTION:
        dataset = made.args[0] if len(made.args) == 1 else None
    elif isinstance(made.func, ast.Attribute) and made.func.attr == _METHOD:
        dataset = made.func.value
    else:
        dataset = None
    if dataset is None or kind_of(module, dataset) is not Kind.DATASET:
        return None
    return dataset


def _names(statement: ast.Assign) -> list[str]:
    """Returns the names in ``x, y = ...``; of one name alone it is not known what it holds."""
    (target, *others) = statement.targets
    if others or not isinstance(target, ast.Tuple):
        return []
    names = [node.id for node in target.elts if isinstance(node, ast.Name)]
    return names if len(names) == len(target.elts) == len(set(names)) else []


def _is_rearranged(value: ast.Tuple, names: list[str]) -> bool:
    """Says whether a pair of features and labels holds elements alone, which ``map`` can return."""
    leaves = [leaf for element in value.elts for leaf in _leaves(element)]
    return len(value.elts) == 2 and all(
        isinstance(leaf, ast.Name) and leaf.id in names for leaf in leaves
    )


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
        for value in node.values:
            yield from _leaves(value)
    else:
        yield node
