"""Expressions with the same value at two places of a program, mostly flags."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.calls import last_name, method_calls, passed_for
from tfmigrate.resolve.control_flow import meeting
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.origins import class_around
from tfmigrate.resolve.scopes import AssignBinding, Binding, ImportBinding, Scope, place_of

# Calls that only look at their arguments.
_FUNCTIONS = ("bool", "int", "len", "str")
_METHODS = ("count", "endswith", "get", "getenv", "lower", "split", "startswith", "strip", "upper")
_CHANGES = ("append", "clear", "extend", "insert", "pop", "remove", "update")
_MAX_DEPTH = 5
_PURE = (
    ast.Constant, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.unaryop, ast.BinOp, ast.operator,
    ast.Compare, ast.cmpop, ast.IfExp, ast.List, ast.Tuple, ast.expr_context, ast.keyword,
)  # fmt: skip


@dataclass(frozen=True)
class Settled:
    """Carries expressions from one place of a module to others.

    Attributes:
        module: the file.
        files: all files of the program, the module among them.
    """

    module: Module
    files: Sequence[Module]

    def carried(self, expression: ast.expr, site: ast.AST) -> ast.expr:
        """Returns an expression that has at a site the value of one at its own place.

        Names stay where they mean the same at the site; else their values take their place.

        Raises:
            Refusal: the value may differ at the site.
        """
        self.check(expression)
        return _Carry(self, site).rebuilt(expression)

    def check(self, expression: ast.expr) -> None:
        """Raises Refusal where an expression may have a different value later."""
        for node in ast.walk(expression):
            if isinstance(node, ast.Attribute):
                self._check_attribute(node)
            elif isinstance(node, ast.Subscript):
                self._check_item(node)
            elif isinstance(node, ast.Call):
                self._check_call(node)
            elif isinstance(node, ast.Name):
                self._check_unchanged(node)
            elif not isinstance(node, _PURE):
                raise Refusal(expression, f"cannot resolve `{ast.unparse(expression)}`")

    def _check_attribute(self, node: ast.Attribute) -> None:
        for module in self.files:
            for other in module.all(ast.Attribute):
                if other.attr != node.attr or isinstance(other.ctx, ast.Load):
                    continue
                if _is_self(other) and _in_constructor(module, other):
                    continue
                line = module.source.place(other.lineno)
                raise Refusal(node, f"`{ast.unparse(node)}` is assigned at {line}")

    def _check_item(self, node: ast.Subscript) -> None:
        if not isinstance(node.slice, ast.Constant):
            raise Refusal(node, f"cannot resolve `{ast.unparse(node)}`")
        for module in self.files:
            for other in module.all(ast.Subscript):
                changes = not isinstance(other.ctx, ast.Load)
                if changes and ast.unparse(other.slice) == ast.unparse(node.slice):
                    line = module.source.place(other.lineno)
                    raise Refusal(node, f"`{ast.unparse(node)}` is assigned at {line}")

    def _check_call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name) and function.id in _FUNCTIONS:
            return
        if not isinstance(function, ast.Attribute) or function.attr not in _METHODS:
            raise Refusal(node, f"`{ast.unparse(node)}` may return a different value later")

    def _check_unchanged(self, node: ast.Name) -> None:
        for call, method in method_calls(self.module, *_CHANGES):
            if isinstance(method.value, ast.Name) and method.value.id == node.id:
                raise Refusal(node, f"`{node.id}` is modified at line {call.lineno}")


class _Carry:
    """Replaces names that mean something else, or nothing, at the site with their values."""

    def __init__(self, settled: Settled, site: ast.AST, depth: int = 0) -> None:
        self._settled = settled
        self._module = settled.module
        self._site, self._depth = site, depth

    def rebuilt(self, node: ast.expr) -> ast.expr:
        """Returns an expression with the values; the expression itself where all names stay."""
        names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
        values = {name: value for name in names if (value := self._value(name)) is not None}
        if not values:
            return node
        if self._depth > _MAX_DEPTH:  # of a value that is made of itself there is no end
            raise Refusal(node, f"cannot resolve `{ast.unparse(node)}`")
        inner = _Carry(self._settled, self._site, self._depth + 1)
        for value in values.values():
            self._settled.check(value)
        return _with_values(node, {n: inner.rebuilt(v) for n, v in values.items()})

    def _value(self, name: ast.Name) -> ast.expr | None:
        """Returns what to write for a name, None where the name can stay."""
        if name.id in _FUNCTIONS:
            return None
        scope, bindings = self._module.names.variable(name)
        if scope is None:
            raise Refusal(name, f"`{name.id}` is not bound in the file")
        there = self._module.names.scope_of[self._site].lookup(name.id)
        seen = there is not None and there[0] is scope
        if seen and self._is_settled(scope, bindings):
            return None
        if _is_self_name(name) and self._same_class(name):
            return None
        return self._bound_value(name, bindings)

    def _bound_value(self, name: ast.Name, bindings: list[Binding]) -> ast.expr:
        """Returns the value of a name that is bound once."""
        if len(bindings) == 1:
            (binding,) = bindings
            if isinstance(binding, AssignBinding):
                return binding.value
            node = getattr(binding, "node", None)
            if isinstance(node, ast.arg):
                return self._argument(name, node)
        raise Refusal(name, f"`{name.id}` has more than one value")

    def _argument(self, name: ast.Name, parameter: ast.arg) -> ast.expr:
        """Returns the argument for a parameter in the only call of its function."""
        function = self._module.function(parameter)
        if not isinstance(function, ast.FunctionDef):
            raise Refusal(name, f"`{name.id}` is a parameter")
        calls = calls_of_function(self._module, function)
        passed = [passed_for(self._module, function, call, parameter.arg) for call in calls]
        if len(passed) != 1 or passed[0] is None:
            raise Refusal(name, f"`{name.id}` is a parameter of `{function.name}`")
        return passed[0]

    def _is_settled(self, scope: Scope, bindings: list[Binding]) -> bool:
        """Returns whether a name has its last value when the site is reached."""
        if all(isinstance(b, ImportBinding) for b in bindings):
            return True
        nodes = [place_of(binding) for binding in bindings]
        if isinstance(scope.node, ast.Module):
            if any(self._module.function(n) is not self._module.tree for n in nodes):
                return False  # a function changes it by `global`
            in_function = self._module.function(self._site) is not self._module.tree
            return in_function or all(
                self._module.position(n) < self._module.position(self._site) for n in nodes
            )
        if len(nodes) != 1:
            return False
        if isinstance(nodes[0], ast.arg):
            return True
        statement = self._module.statement(nodes[0])
        met = meeting(self._module, statement, self._site)
        return met is not None and met.first is statement and met.in_order

    def _same_class(self, name: ast.Name) -> bool:
        """Returns whether the site is in a method of the same class, and no constructor."""
        ours, theirs = (class_around(self._module, n) for n in (name, self._site))
        function = self._module.function(self._site)
        built = isinstance(function, ast.FunctionDef) and function.name != "__init__"
        return ours is theirs is not None and built


def calls_of_function(
    module: Module, function: ast.FunctionDef, caller: Module | None = None
) -> list[ast.Call]:
    """Returns the calls of a function's name; for a constructor, of its class's.

    Args:
        caller: the file to look in; None for the same.
    """
    holder = module.parent(function)
    caller = caller or module
    if isinstance(holder, ast.ClassDef):
        name = holder.name if function.name == "__init__" else function.name
        return _calls_by_last_name(caller).get(name, [])
    # `session.run()` does not call the program's own function of that name.
    calls = _own_calls(caller) if caller is module else _foreign_calls(caller)
    return calls.get(function.name, [])


def passed_by_callers(
    files: Sequence[Module], module: Module, parameter: ast.arg
) -> Iterator[tuple[Module, ast.expr]]:
    """Yields what calls in some files pass for a parameter of a function, each with its file."""
    function = module.parent(module.parent(parameter))
    if not isinstance(function, ast.FunctionDef):
        return
    for caller in files:
        for call in calls_of_function(module, function, caller):
            if (value := passed_for(module, function, call, parameter.arg)) is not None:
                yield caller, value


Calls = dict[str, list[ast.Call]]


@asked_once
def _calls_by_last_name(module: Module) -> Calls:
    calls_by_name: Calls = {}
    for call in module.all(ast.Call):
        calls_by_name.setdefault(last_name(call.func), []).append(call)
    return calls_by_name


@asked_once
def _own_calls(module: Module) -> Calls:
    """Returns the calls of plain names, by those."""
    calls_by_name: Calls = {}
    for call in module.all(ast.Call):
        if isinstance(call.func, ast.Name):
            calls_by_name.setdefault(call.func.id, []).append(call)
    return calls_by_name


@asked_once
def _foreign_calls(module: Module) -> Calls:
    """Returns the calls of functions of other files, by the names that they have there."""
    calls_by_name: Calls = {}
    for call in module.all(ast.Call):
        qualified = module.resolve(call.func)
        if qualified is not None and not qualified.startswith("tensorflow."):
            calls_by_name.setdefault(qualified.rpartition(".")[2], []).append(call)
        elif qualified is None and isinstance(call.func, ast.Name):
            calls_by_name.setdefault(call.func.id, []).append(call)  # of a star import: no binding
    return calls_by_name


def _is_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and _is_self_name(node.value)


def _is_self_name(name: ast.Name) -> bool:
    return name.id == "self"


def _in_constructor(module: Module, node: ast.AST) -> bool:
    function = module.function(node)
    return isinstance(function, ast.FunctionDef) and function.name == "__init__"


def _with_values(node: ast.expr, values: dict[ast.Name, ast.expr]) -> ast.expr:
    """Returns an expression with some of its names replaced by expressions."""

    def rebuilt(part: Any) -> Any:
        if isinstance(part, list):
            return [rebuilt(p) for p in part]
        if not isinstance(part, ast.AST):
            return part
        if isinstance(part, ast.Name):
            return values.get(part, part)
        return type(part)(**{name: rebuilt(value) for name, value in ast.iter_fields(part)})

    new: ast.expr = rebuilt(node)
    return new
