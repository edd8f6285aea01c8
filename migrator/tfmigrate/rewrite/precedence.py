"""Parentheses around new code, where the code around it binds tighter."""

from collections.abc import Iterator
from typing import TypeVar

import libcst as cst

Node = TypeVar("Node", bound=cst.CSTNode)

_ATOM, _AWAIT, _POWER, _UNARY, _COMPARISON, _NOT, _CONDITION, _LOOSEST = 16, 15, 14, 13, 6, 5, 2, 1
_OPERATORS: dict[type[cst.CSTNode], int] = {
    cst.Or: 3,
    cst.And: 4,
    cst.BitOr: 7,
    cst.BitXor: 8,
    cst.BitAnd: 9,
    **dict.fromkeys((cst.LeftShift, cst.RightShift), 10),
    **dict.fromkeys((cst.Add, cst.Subtract), 11),
    **dict.fromkeys((cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo), 12),
    cst.MatrixMultiply: 12,
    cst.Power: _POWER,
}
_NUMBERS = (cst.Integer, cst.Float, cst.Imaginary)
_LOOSE = (cst.Lambda, cst.NamedExpr, cst.Yield)


def with_parentheses(original: cst.CSTNode, updated: Node) -> Node:
    """Returns a node with parentheses around those new parts of it that need them.

    Args:
        original: the node, before its parts were replaced.
        updated: the node with new parts.
    """
    if type(original) is not type(updated):
        return updated  # it was replaced as a whole
    changes: dict[str, cst.BaseExpression] = {}
    for field, needed in _needs(updated):
        part = getattr(updated, field)
        if part is getattr(original, field) or not isinstance(part, cst.BaseExpression):
            continue
        if field == "right" and _joins_texts(updated, part):
            continue
        # `1.real` does not parse.
        number = isinstance(updated, cst.Attribute) and isinstance(part, _NUMBERS)
        if not part.lpar and (number or _binding(part) < needed):
            parenthesized = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
            changes[field] = part.with_changes(**parenthesized)
    return updated.with_changes(**changes) if changes else updated


def _joins_texts(node: cst.CSTNode, right: cst.BaseExpression) -> bool:
    """Returns whether both are sums of texts, which have the same result in any order of ``+``."""
    sums = [part for part in (node, right) if isinstance(part, cst.BinaryOperation)]
    if len(sums) < 2 or not all(isinstance(part.operator, cst.Add) for part in sums):
        return False
    return any(isinstance(n, cst.BaseString) for s in sums for n in (s.left, s.right))


def _needs(node: cst.CSTNode) -> Iterator[tuple[str, int]]:
    """Yields the parts of a node, and how tightly each has to bind."""
    if isinstance(node, (cst.Attribute, cst.Subscript)):
        yield "value", _ATOM
    elif isinstance(node, cst.Call):
        yield "func", _ATOM
    elif isinstance(node, cst.Await):
        yield "expression", _ATOM
    elif isinstance(node, (cst.BinaryOperation, cst.BooleanOperation)):
        own = _OPERATORS[type(node.operator)]
        is_power = own == _POWER
        yield "left", _AWAIT if is_power else own
        yield "right", _UNARY if is_power else own + 1
    elif isinstance(node, cst.UnaryOperation):
        yield "expression", _binding(node)
    elif isinstance(node, cst.Comparison):
        # `a < b < c` is a chain: a comparison within one changes its meaning.
        yield "left", _COMPARISON + 1
    elif isinstance(node, cst.ComparisonTarget):
        yield "comparator", _COMPARISON + 1
    elif isinstance(node, cst.IfExp):
        yield "test", _CONDITION + 1
        yield "body", _CONDITION + 1
        yield "orelse", _CONDITION
    elif isinstance(node, cst.StarredElement):
        yield "value", _COMPARISON + 1
    elif isinstance(node, (cst.Arg, cst.Element, cst.DictElement)):
        yield "value", _LOOSEST


def _binding(node: cst.BaseExpression) -> int:
    """Returns how tightly an expression binds; a tuple without parentheses binds least."""
    if isinstance(node, (cst.BinaryOperation, cst.BooleanOperation)):
        return _OPERATORS[type(node.operator)]
    if isinstance(node, cst.UnaryOperation):
        return _NOT if isinstance(node.operator, cst.Not) else _UNARY
    if isinstance(node, cst.Comparison):
        return _COMPARISON
    if isinstance(node, cst.Await):
        return _AWAIT
    if isinstance(node, cst.IfExp):
        return _CONDITION
    if isinstance(node, cst.Tuple):
        return 0
    return _LOOSEST if isinstance(node, _LOOSE) else _ATOM
