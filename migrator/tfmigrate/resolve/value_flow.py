"""What a value is computed from, and what holds it, as far as its file shows."""

import ast
from collections.abc import Iterator

from tfmigrate.model.reached import reached
from tfmigrate.resolve.calls import called_on
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.origins import origins, places_of_definitions

_CONTAINERS = (ast.List, ast.Tuple, ast.Dict, ast.Starred, ast.BinOp)


def computed_from(module: Module, node: ast.expr) -> Iterator[ast.expr]:
    """Yields an expression and those that its value is computed from, without what lambdas do."""
    return reached([node], lambda value: _sources(module, value))


def _sources(module: Module, value: ast.expr) -> Iterator[ast.expr]:
    yield from origins(module, value) or ()
    yield from operands(value)


def operands(value: ast.expr) -> Iterator[ast.expr]:
    """Yields the expressions that an expression is written with, without what lambdas do."""
    children = list(ast.iter_child_nodes(value))
    if isinstance(value, ast.Call):
        children += [keyword.value for keyword in value.keywords]
    if not isinstance(value, ast.Lambda):
        yield from (child for child in children if isinstance(child, ast.expr))


def holders(module: Module, node: ast.expr) -> Iterator[ast.expr]:
    """Yields an expression, lists that it becomes an element of, and reads of their names."""
    return reached([node], lambda value: _next_holders(module, value))


def _next_holders(module: Module, value: ast.expr) -> Iterator[ast.expr]:
    parent = module.parent(value)
    if isinstance(parent, _CONTAINERS):
        if isinstance(parent, ast.Tuple) and _is_unpacked(module, parent):
            yield from _passed_on(module, parent, parent.elts.index(value))
        elif isinstance(parent, ast.expr):
            yield parent
    elif isinstance(parent, ast.Attribute) and parent.attr == "op":  # of a tensor
        yield parent
    elif isinstance(parent, ast.Call) and value in parent.args:
        if (extended := called_on(parent, "append", "extend")) is not None:
            yield from _reads(module, extended)
    else:
        yield from _passed_on(module, value)


def _passed_on(module: Module, value: ast.expr, index: int | None = None) -> Iterator[ast.expr]:
    """Yields where a value that a statement assigns or returns is read.

    Args:
        index: of the element of a tuple that is meant, None for all of it.
    """
    statement = module.parent(value)
    if isinstance(statement, ast.Return):
        for place in places_of_definitions(module).get(module.function(statement), ()):
            if (call := module.call_of(place)) is not None:
                yield from [call] if index is None else _passed_on(module, call, index)
    if not isinstance(statement, (ast.Assign, ast.AugAssign)) or value is not statement.value:
        return
    for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
        meant = [target]
        if isinstance(target, ast.Tuple) and index is not None:
            meant = target.elts[index : index + 1]
        for place in meant:
            yield from _reads(module, place)


def _is_unpacked(module: Module, values: ast.Tuple) -> bool:
    return isinstance(module.parent(values), (ast.Assign, ast.Return))


def _reads(module: Module, target: ast.expr) -> Iterator[ast.expr]:
    """Yields the places that read a name, or an attribute of that name of any object."""
    if isinstance(target, ast.Name):
        yield from module.reads(target.id, module.scope(target))
    elif isinstance(target, ast.Attribute):
        same = (a for a in module.all(ast.Attribute) if a.attr == target.attr)
        yield from (attribute for attribute in same if isinstance(attribute.ctx, ast.Load))
