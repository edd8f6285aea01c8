"""Imports of Python's standard library that a migration adds, where a file has such imports.

A statement above the import of TensorFlow may need one (the switch to Keras 2 sets an environment
variable), so that an import further down has to move up.
"""

import ast
import sys
from collections.abc import Sequence
from itertools import takewhile

from tfmigrate.model.edits import ChangeImport, Code, Edit, InsertAfter, InsertBefore
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.scopes import Binding, ImportBinding
from tfmigrate.resolve.syntax import is_text


def standard_name(module: Module, name: str) -> str:
    """Returns the name of a module of the standard library in a file, once it is imported.

    It is valid at the top level, and in functions that do not bind the same name.
    """
    if existing_imports := _imported(module, name):
        return existing_imports[0].local
    bound = module.names.scope_of[module.tree].bindings
    return next(c for c in (name, f"{name}_module", f"tfmigrate_{name}") if c not in bound)


def standard_import(module: Module, name: str, before: ast.stmt | None = None) -> tuple[Edit, ...]:
    """Returns the edits that import a module of the standard library, none if it is imported.

    The import is added to those of the standard library at the top of the file, or above all
    others. An existing import that comes too late is moved there.

    Args:
        name: the module ("os").
        before: a statement at top level that needs the import; None if only functions need it.
    """
    if (existing_imports := _imported(module, name)) and before is None:
        return ()
    position = module.position
    if before is not None and any(
        position(b.statement) < position(before) for b in existing_imports
    ):
        return ()
    local = standard_name(module, name)
    code = Code(f"import {name}" + f" as {local}" * (local != name))
    block = list(takewhile(_is_standard, _without_head(module)))
    first = first_of_others(module)
    cell = module.cell((block or [first or module.tree.body[-1]])[0])
    moved = [
        ChangeImport(binding.statement, binding.alias, "")
        for binding in existing_imports
        if binding.statement in module.tree.body and module.cell(binding.statement) == cell
    ]
    if above := [s for s in block if isinstance(s, ast.Import) and s.names[0].name < name]:
        return (InsertAfter(above[-1], code), *moved)
    if block or first is not None:
        place = block[0] if block else first
        assert place is not None
        return (InsertBefore(place, code, blank_lines=not block), *moved)
    return (InsertAfter(module.tree.body[-1], code, blank_line=True), *moved)


def end_of_imports(module: Module) -> ast.stmt | None:
    """Returns the first statement below the imports that a file, or its first cell, begins with."""
    body = _without_head(module)
    return next(
        (
            s
            for s in body
            if not (isinstance(s, (ast.Import, ast.ImportFrom)) or is_text(s))
            or module.cell(s) != module.cell(body[0])
        ),
        None,
    )


def first_of_others(module: Module) -> ast.stmt | None:
    """Returns the first statement of a file below its first imports of the standard library."""
    return next((s for s in _without_head(module) if not (_is_standard(s) or _is_name(s))), None)


def _imported(module: Module, name: str) -> list[ImportBinding]:
    """Returns the imports of a module that the whole file can use, in the order of the text."""
    top = module.names.scope_of[module.tree].bindings
    existing_imports = [
        b for b in imports(module) if b.qualified == name and isinstance(b.statement, ast.Import)
    ]
    return [
        b for b in existing_imports if b in top.get(b.local, ()) and _is_all(top[b.local], name)
    ]


def _is_all(bindings: Sequence[Binding], qualified: str) -> bool:
    return all(isinstance(b, ImportBinding) and b.qualified == qualified for b in bindings)


def _without_head(module: Module) -> list[ast.stmt]:
    """Returns the statements of a file below its docstring and imports of ``__future__``."""
    body = module.tree.body
    return [s for s in (body[1:] if is_text(body[0]) else body) if not _is_future(s)]


def _is_standard(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Import):
        roots = {alias.name.partition(".")[0] for alias in statement.names}
    elif isinstance(statement, ast.ImportFrom) and not statement.level:
        roots = {(statement.module or "").partition(".")[0]}
    else:
        return False
    return roots <= sys.stdlib_module_names


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _is_name(statement: ast.stmt) -> bool:
    """Returns whether a statement is only a name, which represents a notebook magic here."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name)
