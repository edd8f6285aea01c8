"""Imports of files next to a file of a package, which Python 3 looks for at the top only."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program
from tfmigrate.resolve.python_2 import futures, is_provided_for

Place = tuple[ast.Import | ast.ImportFrom, str]


def implicit_imports(program: Program, module: Module) -> list[Place]:
    """Returns the imports that fail on Python 3, with the names of the files.

    Scripts find files next to them on both. So only files count that others import as parts of
    their package, in programs that do not put it on the path of modules. Those with
    ``absolute_import`` import from the top on Python 2 as well: ``numpy`` next to a ``numpy.py``.
    """
    folder = module.source.path.parent
    if not (folder / "__init__.py").is_file() or "absolute_import" in futures(module):
        return []
    own = module.source.path.stem  # a torch.py that imports torch means the package
    places = [p for p in _bare(module) if p[1] != own and _is_beside(folder, p[1])]
    if not places or not _is_part(program, module, folder):
        return []
    return [] if any(_may_add(other, folder) for other in program.modules) else places


def _bare(module: Module) -> Iterator[Place]:
    """Yields the imports of top-level names that nothing replaces where they fail."""
    for statement in _statements(module):
        if is_provided_for(module, statement):
            continue
        if isinstance(statement, ast.ImportFrom):
            names = [statement.module or ""] if statement.level == 0 else []
        else:
            names = [alias.name for alias in statement.names]
        yield from ((statement, name.partition(".")[0]) for name in names)


def _is_beside(folder: Path, name: str) -> bool:
    """Returns whether a name is that of a file in a folder, and of none further up."""
    if not name or name in sys.stdlib_module_names or not _has(folder, name):
        return False
    return not any(_has(above, name) or (above / name).is_dir() for above in folder.parents)


def _has(folder: Path, name: str) -> bool:
    return (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file()


def _is_part(program: Program, module: Module, folder: Path) -> bool:
    """Returns whether a file elsewhere imports this one by the name of its package."""
    return any(
        folder.name in _packages(statement) and module in program.loaded_by(other, statement)
        for other in program.modules
        if other.source.path.parent != folder
        for statement in _statements(other)
    )


def _statements(module: Module) -> list[ast.Import | ast.ImportFrom]:
    return [*module.all(ast.Import), *module.all(ast.ImportFrom)]


def _may_add(module: Module, folder: Path) -> bool:
    """Returns whether a file may put a folder on the path of modules: its own, or one it names."""
    if not any(f"{use.qualified}.".startswith("sys.path.") for use in module.uses_in("sys")):
        return False
    texts = [node.value for node in module.all(ast.Constant) if isinstance(node.value, str)]
    is_named = any(text.rstrip("/").endswith(folder.name) for text in texts)
    return is_named or module.source.path.parent == folder


def _packages(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.ImportFrom):
        return (statement.module or "").split(".")
    return [part for alias in statement.names for part in alias.name.split(".")[:-1]]
