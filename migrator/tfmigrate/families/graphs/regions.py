"""The statements of drivers that build a graph, put into blocks in which one is built.

The mode changes where graph code and eager code meet, not for a whole file or function: a driver
feeds, prints and saves between the statements that build. A statement that is put into no block by
mistake is an error of TensorFlow ("out of scope", "not compatible with eager execution"), and never
another number.
"""

import ast
from collections.abc import Iterator, Sequence
from functools import cache, partial

from tfmigrate.families.graphs.builders import Builders, functions_of
from tfmigrate.families.graphs.names import BARRIERS, MAKING_METHODS, SESSIONS
from tfmigrate.resolve.calls import last_name
from tfmigrate.resolve.module import Module

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


# The first statement of a block in which a graph is built, and the last one.
Block = tuple[ast.stmt, ast.stmt]


class Regions:
    """The blocks of one file."""

    def __init__(self, module: Module, builders: Builders) -> None:
        """Takes the file."""
        self._module, self._builders = module, builders
        # Asked several times of each statement, which is walked with all that is in it.
        self._builds = cache(partial(builders.builds, module))
        self._drives = cache(partial(builders.drives, module))

    def blocks(self) -> Iterator[Block]:
        """Yields the blocks of all that is executed at once, and of all functions that drive."""
        yield from self._block(self._module.tree.body)
        for function in functions_of(self._module):
            if function in self._builders.drivers and not isinstance(function, ast.Lambda):
                yield from self._block(function.body)

    def _block(self, statements: Sequence[ast.stmt]) -> Iterator[Block]:
        """Yields the blocks of statements that are executed eagerly."""
        group: list[ast.stmt] = []
        for statement in statements:
            if self._ends_group(statement, group):
                yield from self._put(group)
                group = []
            if isinstance(statement, ast.ClassDef):
                yield from self._block(statement.body)
            elif isinstance(statement, _DEFINITIONS) or self._is_barrier(statement):
                continue
            elif not self._builds(statement):
                if group and self._joins(statement):
                    group.append(statement)
                elif self._is_compound(statement) and self._drives(statement):
                    yield from self._below(statement)
            elif self._is_whole(statement):
                group.append(statement)
                yield from self._in_graph([statement])
            else:
                yield from self._below(statement)
        yield from self._put(group)

    def _ends_group(self, statement: ast.stmt, group: Sequence[ast.stmt]) -> bool:
        if not group:
            return False
        if isinstance(statement, _DEFINITIONS) or self._is_barrier(statement):
            return True
        # A block cannot begin in one cell of a notebook and end in another.
        if self._module.cell(statement) != self._module.cell(group[0]):
            return True
        if self._builds(statement):
            return not self._is_whole(statement)
        return not self._joins(statement)

    def _joins(self, statement: ast.stmt) -> bool:
        """Returns whether a statement that neither builds nor runs may stand among others."""
        return not self._drives(statement) and not isinstance(statement, (ast.Return, ast.Raise))

    def _put(self, group: list[ast.stmt]) -> Iterator[Block]:
        # Statements that only followed those that build stay outside.
        while group and not self._builds(group[-1]):
            group.pop()
        if group:
            yield group[0], group[-1]

    def _is_whole(self, statement: ast.stmt) -> bool:
        """Returns whether a statement that builds goes into a block as it is."""
        if not self._is_compound(statement):
            return True
        header = _header(statement)
        if isinstance(statement, ast.With):
            return not self._drives(statement) or (
                self._enters(statement) is None and any(self._builds(part) for part in header)
            )
        return not self._drives(statement) or any(self._builds(part) for part in header)

    def _below(self, statement: ast.stmt) -> Iterator[Block]:
        """Yields the blocks in the parts of a compound statement that is executed eagerly."""
        if isinstance(statement, ast.With) and self._enters(statement) == "graph":
            yield from self._in_graph(statement.body)
            return
        for block in _blocks(statement):
            yield from self._block(block)

    def _in_graph(self, statements: Sequence[ast.stmt]) -> Iterator[Block]:
        """Yields the blocks in code that is executed while a graph is built: in its sessions."""
        for statement in statements:
            if isinstance(statement, _DEFINITIONS):
                continue
            if isinstance(statement, ast.With) and self._enters(statement) == "session":
                yield from self._block(statement.body)
                continue
            for block in _blocks(statement):
                yield from self._in_graph(block)

    def _enters(self, statement: ast.With) -> str | None:
        """Returns whether a block is that of a "session" or of a "graph"; the last item decides."""
        kind = None
        for item in statement.items:
            call = item.context_expr
            if not isinstance(call, ast.Call):
                name = last_name(call)
                # A session from elsewhere (`with self.sess:`): only its name is left to judge by.
                kind = "session" if "sess" in name.lower() else kind
                continue
            if (
                self._module.resolve(call.func) in SESSIONS
                or last_name(call.func) in MAKING_METHODS
            ):
                kind = "session"
            elif isinstance(call.func, ast.Attribute) and call.func.attr == "as_default":
                owner = call.func.value
                inner = owner.func if isinstance(owner, ast.Call) else owner
                is_graph = "graph" in last_name(inner).lower() or last_name(inner) == "g"
                # A session that is the default one leaves the mode as it is.
                kind = "graph" if is_graph else kind or "default"
        return kind

    def _is_compound(self, statement: ast.stmt) -> bool:
        return bool(list(_blocks(statement)))

    def _is_barrier(self, statement: ast.stmt) -> bool:
        if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
            return False
        return self._module.resolve(statement.value.func) in BARRIERS


def _header(statement: ast.stmt) -> list[ast.AST]:
    """Returns what a compound statement evaluates besides its blocks."""
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return [statement.iter]
    if isinstance(statement, (ast.If, ast.While)):
        return [statement.test]
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return [item.context_expr for item in statement.items]
    return []


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(statement, _DEFINITIONS):
        return
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list) and block:
            yield block
    for clause in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield clause.body
