"""Statements that only write summaries, which training steps leave out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from tfmigrate.families.native.conversion import Conversion, called
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native.unused import SUMMARIES
from tfmigrate.families.native_steps.scopes import is_block_of_scopes
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.syntax import is_text

_COLLECTION = "tensorflow.GraphKeys.SUMMARIES"
_ADDS = ("append", "add", "extend", "update")
_PURE = ("tensorflow.", "re.sub")
_BUILTINS = ("enumerate", "isinstance", "len", "list", "range", "sorted", "str", "zip")
_CHANGES = ("tensorflow.add_to_collection", "tensorflow.assign", "tensorflow.get_variable")


class LeftOut:
    """The summaries of a file, where they are left out.

    Attributes:
        functions: the functions of the program that only write summaries.
    """

    def __init__(self, plan: Conversion, module: Module) -> None:
        self._plan = plan
        self._module = module
        self.functions: set[ast.FunctionDef] = set()

    def writes(
        self, statement: ast.stmt, is_summary: Callable[[ast.expr], bool] | None = None
    ) -> bool:
        """Says whether a statement only writes or lists summaries.

        Args:
            statement: the statement.
            is_summary: says whether a name is known to hold summaries.
        """
        if self._is_block(statement):
            assert isinstance(statement, (ast.For, ast.If, ast.With))
            blocks = [*statement.body, *getattr(statement, "orelse", [])]
            written = [s for s in blocks if self.writes(s, is_summary)]
            rest = [s for s in blocks if s not in written]
            return bool(written) and self._is_helper(statement, rest)
        value = statement.value if isinstance(statement, (ast.Assign, ast.Expr)) else None
        if not isinstance(value, ast.Call):
            return False
        if called(self._module, value).startswith(SUMMARIES) or self._lists(value):
            return True
        function = value.func
        if isinstance(statement, ast.Expr) and isinstance(function, ast.Attribute):
            given = value.args[0] if len(value.args) == 1 else None
            if function.attr in _ADDS and given is not None and not value.keywords:
                known = is_summary is not None and is_summary(function.value)
                return known or called(self._module, given).startswith(SUMMARIES)
        return isinstance(statement, ast.Expr) and self._is_of_summaries(value)

    def _lists(self, call: ast.Call) -> bool:
        """Says whether a call returns the summaries of a graph."""
        key = argument(call, 0, "key")
        if called(self._module, call) != "tensorflow.get_collection" or key is None:
            return False
        return self._module.resolve(key) == _COLLECTION

    def _is_helper(self, block: ast.stmt, statements: Sequence[ast.stmt]) -> bool:
        """Says whether only the summaries of a block read what its other statements assign."""
        module, function = self._module, self._module.function(block)
        inside = set(module.walk(block))
        for statement in statements:
            if is_text(statement):
                continue
            if not isinstance(statement, ast.Assign) or not self._is_pure(statement.value):
                return False
            names = {t.id for t in statement.targets if isinstance(t, ast.Name)}
            if len(names) != len(statement.targets):
                return False
            for node in module.all(ast.Name, function):
                if node.id in names and node not in inside:
                    return False
        return True

    def _is_block(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.For):
            return self._is_pure(statement.iter)
        if isinstance(statement, ast.If):
            return self._is_pure(statement.test)
        return is_block_of_scopes(self._module, statement)

    def _is_pure(self, value: ast.expr) -> bool:
        """Says whether an expression is computed without a change to anything."""
        for call in self._module.all(ast.Call, value):
            name = called(self._module, call)
            plain = isinstance(call.func, ast.Name) and call.func.id in _BUILTINS and not name
            if name.startswith(_CHANGES) or not (plain or name.startswith(_PURE)):
                return False
        return True

    def _flat(self, block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in block:
            if isinstance(statement, ast.With) and is_block_of_scopes(self._module, statement):
                yield from self._flat(statement.body)
            else:
                yield statement

    def _is_of_summaries(self, call: ast.Call) -> bool:
        """Says whether a function of the program does nothing but write summaries."""
        found = definition(self._plan, self._module, call.func)
        if found is None or found[0] is not self._module:
            return False
        _, function = found
        if function in self.functions:
            return True
        lines = [s for s in self._flat(function.body) if not is_text(s)]
        written = [s for s in lines if self.writes(s)]
        pure = all(
            isinstance(s, ast.Assign) and self._is_pure(s.value) for s in lines if s not in written
        )
        if written and pure:
            self.functions.add(function)
        return bool(written) and pure
