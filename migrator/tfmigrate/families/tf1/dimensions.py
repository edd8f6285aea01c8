"""Where a program uses the shapes of TensorFlow 1.x, whose Dimensions have a ``value``.

`x.get_shape()[1].value`, `[d.value for d in x.shape]`; in TensorFlow 2 these are numbers.
"""

import ast
from collections.abc import Iterator

from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.scopes import AssignBinding, OtherBinding
from tfmigrate.resolve.settled_values import passed_by_callers

_SHAPES = ("tensorflow.TensorShape",)
_DIMENSION = "tensorflow.Dimension"


@asked_once
def asks_dimensions(module: Module) -> bool:
    """Returns whether a file reads the ``value`` of a dimension of a shape."""
    if not module.mentions("value", "Dimension"):
        return False
    if module.uses_of(_DIMENSION):
        return True
    return any(
        node.attr == "value"
        and not module.call_of(node)
        and _is_dimension(module, node.value, frozenset())
        for node in module.all(ast.Attribute)
    )


def _is_dimension(module: Module, node: ast.expr, seen: frozenset[ast.AST]) -> bool:
    """Returns whether an expression is one entry of a shape."""
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        return _is_shape(module, node.value, seen) or _is_entry_of_parameter(module, node)
    if not isinstance(node, ast.Name) or node in seen:
        return False
    seen |= {node}
    for binding in module.bindings(node):
        if isinstance(binding, AssignBinding) and _is_dimension(module, binding.value, seen):
            return True
        if isinstance(binding, OtherBinding) and _is_part_of_shape(module, binding.node, seen):
            return True
    return False


def _is_part_of_shape(module: Module, target: ast.AST, seen: frozenset[ast.AST]) -> bool:
    """Returns whether a loop iterates over a shape, or an assignment unpacks one."""
    for around in module.ancestors(target):
        if isinstance(around, (ast.For, ast.comprehension)):
            return _is_shape(module, around.iter, seen)
        if isinstance(around, ast.stmt):
            return isinstance(around, ast.Assign) and _is_shape(module, around.value, seen)
    return False


def _is_shape(module: Module, node: ast.expr, seen: frozenset[ast.AST]) -> bool:
    """Returns whether an expression is a shape, or a part of one."""
    if isinstance(node, ast.Attribute):
        return node.attr == "shape" or any(
            _is_shape(module, value, seen | {node}) for value in _kept_in(module, node, seen)
        )
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple", "enumerate"):
            return any(_is_shape(module, a, seen) for a in node.args)
        method = isinstance(node.func, ast.Attribute) and node.func.attr == "get_shape"
        return method or module.resolve(node.func) in _SHAPES
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Slice) and _is_shape(module, node.value, seen)
    if not isinstance(node, ast.Name) or node in seen:
        return False
    seen |= {node}
    return any(
        isinstance(b, AssignBinding) and _is_shape(module, b.value, seen)
        for b in module.bindings(node)
    ) or _is_given_shape(module, node, seen)


def _is_given_shape(module: Module, name: ast.Name, seen: frozenset[ast.AST]) -> bool:
    """Returns whether a name is a parameter for which a call in the file passes a shape."""
    parameters = [b.node for b in module.bindings(name) if isinstance(b, OtherBinding)]
    return any(
        _is_shape(module, value, seen | {parameter})
        for parameter in parameters
        if isinstance(parameter, ast.arg) and parameter not in seen
        for _, value in passed_by_callers([module], module, parameter)
    )


def _is_entry_of_parameter(module: Module, node: ast.Subscript) -> bool:
    """Returns whether an expression is a numbered entry of an argument from other files."""
    index = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
    if not isinstance(index, ast.Constant) or type(index.value) is not int:
        return False
    return isinstance(node.value, ast.Name) and any(
        isinstance(b, OtherBinding) and isinstance(b.node, ast.arg)
        for b in module.bindings(node.value)
    )


def _kept_in(module: Module, node: ast.Attribute, seen: frozenset[ast.AST]) -> Iterator[ast.expr]:
    """Yields what a file assigns to an attribute of this name."""
    if node in seen:
        return
    for statement in module.all(ast.Assign):
        if any(isinstance(t, ast.Attribute) and t.attr == node.attr for t in statement.targets):
            yield statement.value
