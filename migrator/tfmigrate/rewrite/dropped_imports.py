"""Removes the imports that edits leave unused.

Only those whose last use an edit removed. An import that had no use before may be there for what
loading it does, or for another file that takes the name from this one.
"""

import ast
import contextlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from tfmigrate.files.notebook import Notebook
from tfmigrate.model.edits import ChangeImport, Edit
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.names_in_texts import names_in_texts
from tfmigrate.resolve.program import Program
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.resolve.stars import lost_names
from tfmigrate.resolve.syntax import Syntax, syntax_of
from tfmigrate.rewrite.locate import RewriteError
from tfmigrate.rewrite.transformer import rewrite

_WITHOUT_EFFECT = sys.stdlib_module_names | {"keras", "numpy", "six", "tensorflow", "tf_slim"}
# With these a program reads names that it does not write.
_BY_TEXT = {"eval", "exec", "globals", "locals", "vars"}


def without_dropped_imports(program: Program, module: Module, text: str) -> str:
    """Returns the new text of a file without the imports that only edited code used.

    An import that had no use before stays, and so does one that another file may take.
    """
    # Cells are run one by one, and a package's names are for others.
    if isinstance(module.source, Notebook) or module.source.path.name == "__init__.py":
        return text
    syntax = syntax_of(module.source.path, text)
    had_a_use = {n.id for n in module.all(ast.Name) if isinstance(n.ctx, ast.Load)}
    dropped = set(_imported_names(syntax)) & had_a_use
    dropped -= {n.id for n in syntax.all(ast.Name)}
    if not dropped:
        return text
    used = set(_used_names(syntax))
    dropped -= used
    if not dropped or used & _BY_TEXT:
        return text
    others = [other for other in program.modules if other is not module]
    for other in (*others, *program.parsed_outside([module])):
        dropped -= set(_taken_names(other))
        if not dropped or _takes_all(other, module):
            return text
    new = Module(replace(module.source, text=text))
    edits = [
        ChangeImport(binding.statement, binding.alias, "")
        for binding in imports(new)
        if binding.local in dropped and _only_binds(new, binding)
    ]
    try:
        return rewrite(new, edits) if edits else text
    # An unused import is harmless; a file that is not migrated is not.
    except RewriteError:
        return text


def without_lost_names(program: Program, texts: Mapping[Path, str]) -> dict[Path, str]:
    """Returns new texts without the imports of names that own modules do not have any more.

    Only where no code reads the name any more; others are reported.
    """
    afters = {
        m: Module(replace(m.source, text=texts[m.source.path]))
        for m in program.modules
        if m.source.path in texts
    }
    new_texts: dict[Path, str] = {}
    for module, new in afters.items():
        lost = lost_names(module, program, lambda m: afters.get(m, m))
        names = {binding.local for binding, _ in lost} - {n.id for n in new.all(ast.Name)}
        froms = [b.statement for b, _ in lost if isinstance(b.statement, ast.ImportFrom)]
        sources = {(statement.module, statement.level) for statement in froms}
        edits: list[Edit] = []
        for statement in new.all(ast.ImportFrom):
            gone = [a for a in statement.names if (a.asname or a.name) in names]
            if gone and (statement.module, statement.level) in sources:
                edits += [ChangeImport(statement, alias, "") for alias in gone]
                if len(gone) == len(statement.names) and not statement.level:
                    # The module may do something when it is imported.
                    edits[-1] = ChangeImport(statement, gone[-1], f"import {statement.module}")
        with contextlib.suppress(RewriteError):
            if edits:
                new_texts[module.source.path] = rewrite(new, edits)
    return new_texts


def _imported_names(syntax: Syntax) -> Iterator[str]:
    yield from (alias.asname or alias.name.partition(".")[0] for alias in syntax.all(ast.alias))


def _used_names(syntax: Syntax) -> Iterator[str]:
    """Yields the names that code reads; strings may name them too (``__all__``, annotations)."""
    yield from names_in_texts(syntax)
    for node in syntax.nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                expression = ast.parse(node.value.strip(), mode="eval")
                yield from (n.id for n in ast.walk(expression) if isinstance(n, ast.Name))


def _taken_names(module: Module) -> Iterator[str]:
    """Yields the names that a file may take from another one."""
    yield from (node.attr for node in module.all(ast.Attribute))
    for statement in module.all(ast.ImportFrom):
        yield from (alias.name for alias in statement.names)


def _takes_all(module: Module, other: Module) -> bool:
    """Returns whether a file may import every name of another one."""
    return any(
        statement.names[0].name == "*"
        and (statement.module or "").rpartition(".")[2] in (other.source.path.stem, "")
        for statement in module.all(ast.ImportFrom)
    )


def _only_binds(module: Module, binding: ImportBinding) -> bool:
    """Returns whether an import does nothing but bind a name, in a block that does not need it."""
    around = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)
    if not isinstance(module.parent(binding.statement), around):
        return False
    # A program's own modules may do something when they are imported.
    if binding.qualified.partition(".")[0] not in _WITHOUT_EFFECT:
        return False
    loads_more = "." in binding.alias.name and not binding.alias.asname
    return isinstance(binding.statement, ast.ImportFrom) or not loads_more
