"""What a condition about versions is on the TensorFlow that a program is migrated to."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import total_ordering
from typing import Any

from tfmigrate.model.tensorflow_versions import NEWEST_RELEASE, OLDEST_RELEASE
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import AssignBinding, OtherBinding
from tfmigrate.resolve.syntax import is_text
from tfmigrate.tables import symbol_table

Target = tuple[str, tuple[object, ...]]
Known = Callable[[ast.expr], Any]
# The oldest and the newest TensorFlow that a migrated program may run on: they have to agree.
_TARGETS: tuple[Target, ...] = (OLDEST_RELEASE, NEWEST_RELEASE)
_TENSORFLOW = ("tensorflow.__version__", "tensorflow.VERSION", "tensorflow.version.VERSION")
_PARSERS = (
    "distutils.version.LooseVersion", "distutils.version.StrictVersion",
    "looseversion.LooseVersion", "packaging.version.LegacyVersion", "packaging.version.Version",
    "packaging.version.parse", "pkg_resources.parse_version",
)  # fmt: skip
# Packages at TensorFlow's top level that are not public.
_INTERNAL = frozenset(("compiler", "core", "distribute", "include", "python", "tools", "tsl"))
_OF_SIX = {"six.PY2": False, "six.PY3": True}
_STRING_METHODS = (
    *("endswith", "find", "lower", "lstrip", "partition", "replace", "rpartition", "rsplit"),
    *("rstrip", "split", "startswith", "strip"),
)
_BUILT_IN: dict[str, Callable[..., Any]] = {
    "all": all,
    "any": any,
    "bool": bool,
    "float": float,
    "int": int,
    "len": len,
    "list": list,
    "map": lambda function, values: [function(value) for value in values],
    "str": str,
    "tuple": tuple,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: _is_same(a, b),
    ast.IsNot: lambda a, b: not _is_same(a, b),
}
_DEPTH = 12


class _Unknown(Exception):  # noqa: N818 - it is not an error
    """The value cannot be known."""


def truth(
    module: Module, test: ast.expr, targets: Iterable[Target] = _TARGETS, known: Known | None = None
) -> bool | None:
    """Returns whether a condition holds on some versions; None where they differ or it is unknown.

    Args:
        test: the condition.
        targets: versions of TensorFlow, each with that of Python; by default those that a migrated
            program may run on. Which names there are is always that of TensorFlow 2.21.
        known: the values of further names and attributes, None for those that it does not know.
    """
    outcomes = {bool(value) for value in values_of(module, test, targets, known) or ()}
    return outcomes.pop() if len(outcomes) == 1 else None


def values_of(
    module: Module, node: ast.expr, targets: Iterable[Target] = _TARGETS, known: Known | None = None
) -> list[Any] | None:
    """Returns the value of an expression on each of some versions; None where one is unknown."""
    try:
        return [_Evaluation(module, *target, known).value(node, {}, _DEPTH) for target in targets]
    except Exception:  # the program's own code fails in its own ways
        return None


@total_ordering
@dataclass(frozen=True)
class _Version:
    """A parsed version, which compares as those of packaging and distutils do."""

    numbers: tuple[int, ...]

    @staticmethod
    def of(text: object) -> _Version:
        if isinstance(text, _Version):
            return text
        match = re.match(r"v?(\d+(?:\.\d+)*)", text) if isinstance(text, str) else None
        if match is None:
            raise _Unknown
        numbers = [int(part) for part in match[1].split(".")]
        while numbers and not numbers[-1]:
            numbers.pop()
        return _Version(tuple(numbers))

    def __lt__(self, other: object) -> bool:
        return self.numbers < _Version.of(other).numbers

    def __eq__(self, other: object) -> bool:
        return self.numbers == _Version.of(other).numbers

    def __hash__(self) -> int:
        return hash(self.numbers)

    def attribute(self, name: str) -> object:
        """Returns an attribute of a parsed version."""
        padded = (*self.numbers, 0, 0, 0)
        if name in ("release", "version"):
            return padded[:3] if name == "release" else list(padded[:3])
        return padded[("major", "minor", "micro").index(name)]


class _Evaluation:
    """Values of expressions on one TensorFlow and Python."""

    def __init__(
        self, module: Module, tensorflow: str, python: tuple[object, ...], known: Known | None
    ) -> None:
        self._module, self._tensorflow = module, tensorflow
        self._python, self._known_besides = python, known

    def value(self, node: ast.expr, local: Mapping[str, Any], depth: int) -> Any:
        """Returns the value of an expression.

        Raises:
            _Unknown: it depends on what is not known here.
        """
        if depth <= 0:
            raise _Unknown
        if (handler := getattr(self, f"_{type(node).__name__.lower()}", None)) is None:
            raise _Unknown
        return handler(node, local, depth - 1)

    def _constant(self, node: ast.Constant, local: Mapping[str, Any], depth: int) -> Any:
        return node.value

    def _name(self, node: ast.Name, local: Mapping[str, Any], depth: int) -> Any:
        if node.id in local:
            return local[node.id]
        if (known := self._known(node)) is not None:
            return known
        bindings = self._bindings(node)
        if len(bindings) != 1:
            raise _Unknown
        if isinstance(bindings[0], AssignBinding):
            return self.value(bindings[0].value, {}, depth)
        if isinstance(bindings[0], OtherBinding) and isinstance(bindings[0].node, ast.Name):
            return self._unpacked(bindings[0].node, depth)
        raise _Unknown

    def _bindings(self, node: ast.Name) -> list[Any]:
        scope = self._module.names.scope_of.get(node)
        variable = scope.lookup(node.id) if scope else None
        return list(variable[1]) if variable else []

    def _unpacked(self, target: ast.Name, depth: int) -> Any:
        """Returns the value of a name in ``major, minor = version.split(".")[:2]``."""
        around = self._module.parent(target)
        statement = self._module.statement(target)
        if (
            isinstance(around, (ast.Tuple, ast.List))
            and isinstance(statement, ast.Assign)
            and statement.targets == [around]
        ):
            return self.value(statement.value, {}, depth)[around.elts.index(target)]
        raise _Unknown

    def _known(self, node: ast.expr) -> Any:
        if self._known_besides and (value := self._known_besides(node)) is not None:
            return value
        if (qualified := self._module.resolve(node)) in _TENSORFLOW:
            return self._tensorflow
        if qualified == "sys.version_info":
            return self._python
        return _OF_SIX.get(qualified or "")

    def _attribute(self, node: ast.Attribute, local: Mapping[str, Any], depth: int) -> Any:
        if (known := self._known(node)) is not None:
            return known
        value = self.value(node.value, local, depth)
        if isinstance(value, _Version):
            return value.attribute(node.attr)
        if value is self._python:
            return value[("major", "minor", "micro").index(node.attr)]
        raise _Unknown

    def _call(self, node: ast.Call, local: Mapping[str, Any], depth: int) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("hasattr", "getattr"):
            return self._asked(node, name, local, depth)
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise _Unknown
        if name == "map" and isinstance(node.args[0], ast.Name):
            values = self.value(node.args[1], local, depth)
            return [_BUILT_IN[node.args[0].id](value) for value in values]
        arguments = [self.value(argument, local, depth) for argument in node.args]
        if self._module.resolve(node.func) in _PARSERS:
            return _Version.of(arguments[0])
        if isinstance(node.func, ast.Attribute) and node.func.attr in _STRING_METHODS:
            value = self.value(node.func.value, local, depth)
            if isinstance(value, str):
                return getattr(value, node.func.attr)(*arguments)
            raise _Unknown
        if isinstance(node.func, ast.Name):
            if not (bindings := self._bindings(node.func)) and name in _BUILT_IN:
                return _BUILT_IN[name](*arguments)
            if len(bindings) == 1 and isinstance(bindings[0], OtherBinding):
                return self._returned(bindings[0].node, arguments, depth)
        raise _Unknown

    def _asked(self, node: ast.Call, name: str, local: Mapping[str, Any], depth: int) -> Any:
        """Returns what ``hasattr(tf, "x")`` or ``getattr(tf, "x", default)`` gives."""
        of = self._module.resolve(node.args[0])
        asked = self.value(node.args[1], local, depth)
        if of is None or not (of + ".").startswith("tensorflow.") or not isinstance(asked, str):
            raise _Unknown
        there = _is_there(f"{of}.{asked}".partition(".")[2])
        if name == "hasattr":
            return there
        if there or len(node.args) < 3:
            raise _Unknown
        return self.value(node.args[2], local, depth)

    def _returned(self, function: ast.AST, arguments: list[Any], depth: int) -> Any:
        """Returns what a function of the file returns for some arguments."""
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            raise _Unknown
        names = [parameter.arg for parameter in function.args.args]
        defaults = function.args.defaults
        bound_arguments = dict(zip(names, arguments, strict=False))
        if len(arguments) > len(names):
            raise _Unknown
        first = len(names) - len(defaults)
        for index, default in enumerate(defaults):
            if names[first + index] not in bound_arguments:
                bound_arguments[names[first + index]] = self.value(default, {}, depth)
        if bound_arguments.keys() != set(names):
            raise _Unknown
        done, value = self._run(function.body, bound_arguments, depth)
        return value if done else None

    def _run(self, body: list[ast.stmt], local: dict[str, Any], depth: int) -> tuple[bool, Any]:
        """Runs plain statements; returns whether they returned, and what."""
        for statement in body:
            if isinstance(statement, ast.Return):
                value = self.value(statement.value, local, depth) if statement.value else None
                return True, value
            if isinstance(statement, ast.If):
                branch = statement.body
                if not self.value(statement.test, local, depth):
                    branch = statement.orelse
                done, value = self._run(branch, local, depth)
                if done:
                    return True, value
            elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                self._assign(statement.targets[0], statement.value, local, depth)
            elif not _has_no_effect(statement):
                raise _Unknown
        return False, None

    def _assign(self, target: ast.expr, value: ast.expr, local: dict[str, Any], depth: int) -> None:
        assigned_value = self.value(value, local, depth)
        targets = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        values = assigned_value if isinstance(target, (ast.Tuple, ast.List)) else [assigned_value]
        for name, one in zip(targets, values, strict=True):
            if not isinstance(name, ast.Name):
                raise _Unknown
            local[name.id] = one

    def _subscript(self, node: ast.Subscript, local: Mapping[str, Any], depth: int) -> Any:
        value = self.value(node.value, local, depth)
        if isinstance(node.slice, ast.Slice):
            bounds = [
                None if part is None else self.value(part, local, depth)
                for part in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            return value[slice(*bounds)]
        return value[self.value(node.slice, local, depth)]

    def _compare(self, node: ast.Compare, local: Mapping[str, Any], depth: int) -> bool:
        of = package_searched(node)
        if of is not None:  # `"x" in dir(tf)` asks what `hasattr(tf, "x")` does
            call = ast.Call(ast.Name("hasattr"), [of, node.left], [])
            return bool(self._asked(call, "hasattr", local, depth)) is isinstance(
                node.ops[0], ast.In
            )
        left = self.value(node.left, local, depth)
        for operator, other in zip(node.ops, node.comparators, strict=True):
            right = self.value(other, local, depth)
            if not _COMPARISONS[type(operator)](left, right):
                return False
            left = right
        return True

    def _boolop(self, node: ast.BoolOp, local: Mapping[str, Any], depth: int) -> Any:
        decides = isinstance(node.op, ast.Or)
        value, unknown = None, False
        for part in node.values:
            try:
                value = self.value(part, local, depth)
                if bool(value) is decides:
                    return decides if unknown else value
            except _Unknown:
                unknown = True
        if unknown:
            raise _Unknown
        return value

    def _unaryop(self, node: ast.UnaryOp, local: Mapping[str, Any], depth: int) -> Any:
        value = self.value(node.operand, local, depth)
        if isinstance(node.op, ast.Not):
            return not value
        if isinstance(node.op, ast.USub):
            return -value
        raise _Unknown

    def _ifexp(self, node: ast.IfExp, local: Mapping[str, Any], depth: int) -> Any:
        chosen = node.body if self.value(node.test, local, depth) else node.orelse
        return self.value(chosen, local, depth)

    def _tuple(self, node: ast.Tuple, local: Mapping[str, Any], depth: int) -> Any:
        return tuple(self.value(element, local, depth) for element in node.elts)

    def _list(self, node: ast.List | ast.Set, local: Mapping[str, Any], depth: int) -> Any:
        return [self.value(element, local, depth) for element in node.elts]

    _set = _list

    def _listcomp(
        self, node: ast.ListComp | ast.GeneratorExp, local: Mapping[str, Any], depth: int
    ) -> Any:
        loop = node.generators[0]
        if len(node.generators) > 1 or not isinstance(loop.target, ast.Name):
            raise _Unknown
        elements = []
        for value in self.value(loop.iter, local, depth):
            inner = {**local, loop.target.id: value}
            if all(self.value(test, inner, depth) for test in loop.ifs):
                elements.append(self.value(node.elt, inner, depth))
        return elements

    _generatorexp = _listcomp


def package_searched(node: ast.Compare) -> ast.expr | None:
    """Returns the expression whose names a comparison searches (``"x" in dir(tf)``), or None."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return None
    listed = node.comparators[0]
    if isinstance(listed, ast.Call) and isinstance(listed.func, ast.Attribute):
        listed = listed.func.value if listed.func.attr == "keys" else listed
    if isinstance(listed, ast.Call) and isinstance(listed.func, ast.Name):
        return listed.args[0] if listed.func.id in ("dir", "vars") and listed.args else None
    if isinstance(listed, ast.Attribute) and listed.attr == "__dict__":
        return listed.value
    return None


def _is_same(first: object, second: object) -> bool:
    return first == second if isinstance(first, str) else first is second


def _has_no_effect(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass)):
        return True
    return is_text(statement)


def _is_there(below: str) -> bool:
    """Returns whether TensorFlow has a name, in whichever generation and with whichever Keras."""
    places = symbol_table.places_of(below)
    newest = {f"{generation}-{symbol_table.NEWEST}" for generation in ("v1", "v2")}
    if newest <= places:
        return True
    if any(mark.partition(":")[0] in newest for mark in places):
        raise _Unknown
    module, _, last = below.rpartition(".")
    # The table has all public names: one that no TensorFlow has there is of before 1.0.
    if symbol_table.OLD in places or not (module or last.startswith("_") or last in _INTERNAL):
        return False
    raise _Unknown
