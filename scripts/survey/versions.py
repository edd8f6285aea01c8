"""Which way a test of TensorFlow's version goes on the TensorFlow that programs migrate to."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from tfmigrate.model.tensorflow_versions import NEWEST

VERSION = f"{NEWEST}.0"
_VERSION = re.compile(r"tensorflow(?:\.compat\.v[12])?\.(?:__version__|VERSION|version\.VERSION)")
_COMPARED = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda value, container: value in container,
    ast.NotIn: lambda value, container: value not in container,
}
_METHODS = ("startswith", "split", "join", "replace", "find", "strip")


class NoVersionError(Exception):
    """The test is none of a version."""


class UndecidedError(Exception):
    """The test is one of a version, and which way it goes cannot be said."""


def _numbers(text: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", text)]


_TOOLS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(
        ("LooseVersion", "StrictVersion", "Version", "parse", "parse_version"), _numbers
    ),
    "int": int,
    "float": float,
    "str": str,
    "tuple": tuple,
    "list": list,
}


class Versions:
    """Decides tests, given what the names of a text are."""

    def __init__(
        self,
        chains_of: Callable[[ast.AST], Sequence[tuple[str, str, str]]],
        bound_to: Callable[[ast.Name], ast.expr | None],
    ) -> None:
        self._chains_of = chains_of
        self._bound_to = bound_to

    def holds(self, test: ast.expr) -> bool:
        """Returns whether a test holds.

        Raises:
            NoVersionError: it does not ask for a version.
            UndecidedError: it does, in a way that is not understood.
        """
        if not self._asks(test, 0):
            raise NoVersionError
        try:
            return bool(self._value(test, 0))
        except (TypeError, ValueError, LookupError) as error:
            raise UndecidedError from error

    def _asks(self, node: ast.AST, depth: int) -> bool:
        return any(self._is_version(part, depth) for part in ast.walk(node))

    def _is_version(self, node: ast.AST, depth: int) -> bool:
        if any(_VERSION.fullmatch(".".join(filter(None, c))) for c in self._chains_of(node)):
            return True
        bound = self._bound_to(node) if isinstance(node, ast.Name) and depth < 4 else None
        return bound is not None and self._asks(bound, depth + 1)

    def _value(self, node: ast.AST, depth: int) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.Tuple, ast.List)):
            return [self._value(part, depth) for part in node.elts]
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._named(node, depth)
        if isinstance(node, ast.BoolOp):
            together = all if isinstance(node.op, ast.And) else any
            return together(self._value(part, depth) for part in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self._value(node.operand, depth)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = self._value(node.left, depth), self._value(node.comparators[0], depth)
            return _COMPARED[type(node.ops[0])](left, right)
        if isinstance(node, ast.Subscript):
            return self._value(node.value, depth)[self._index(node.slice, depth)]
        if isinstance(node, ast.Call) and not node.keywords:
            return self._called(node, depth)
        raise UndecidedError

    def _named(self, node: ast.Name | ast.Attribute, depth: int) -> Any:
        if any(_VERSION.fullmatch(".".join(filter(None, c))) for c in self._chains_of(node)):
            return VERSION
        bound = self._bound_to(node) if isinstance(node, ast.Name) and depth < 4 else None
        if bound is None:
            raise UndecidedError
        return self._value(bound, depth + 1)

    def _index(self, node: ast.expr, depth: int) -> Any:
        if not isinstance(node, ast.Slice):
            return self._value(node, depth)
        ends = (node.lower, node.upper, node.step)
        return slice(*(None if end is None else self._value(end, depth) for end in ends))

    def _called(self, node: ast.Call, depth: int) -> Any:
        arguments = [self._value(argument, depth) for argument in node.args]
        name = (
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        )
        if name in _METHODS and isinstance(node.func, ast.Attribute):
            return getattr(self._value(node.func.value, depth), name)(*arguments)
        if name not in _TOOLS:
            raise UndecidedError
        return _TOOLS[name](*arguments)
