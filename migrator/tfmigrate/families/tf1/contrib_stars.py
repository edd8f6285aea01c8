"""``from tensorflow.contrib.layers import *``: which names a file takes by it."""

import ast
import builtins
from collections.abc import Mapping

from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import Module, star_imports
from tfmigrate.resolve.program import Program
from tfmigrate.resolve.stars import all_sources, own_stars
from tfmigrate.tables import python_2, symbol_table
from tfmigrate.tables.runtime_api import is_offered

_CONTRIB = "tensorflow.contrib"
# What a file has without an import, on Python 2 too.
_KNOWN = {*dir(builtins), *python_2.BUILTINS, "__file__"}


def contrib_stars(program: Program) -> Mapping[Module, Mapping[ast.ImportFrom, list[str]]]:
    """Returns the ``import *`` of tf.contrib whose names are all known, and these names, by file.

    Files with names that may be another import's are left out, and so are those that other files
    may take such names from.
    """
    by_module = {m: _names_of_stars(program, m) for m in program.mentioning("contrib")}
    return {module: names for module, names in by_module.items() if names}


def _names_of_stars(program: Program, module: Module) -> dict[ast.ImportFrom, list[str]]:
    stars = star_imports(module, _CONTRIB)
    if not stars or not all(_is_alone(module, star) for star in stars):
        return {}
    if any(s.names[0].name == "*" for s in module.all(ast.ImportFrom)[_last(module, stars) :]):
        return {}
    taken: dict[ast.ImportFrom, list[str]] = {star: [] for star in stars}
    for name in _free(module) | _taken_from(program, module):
        holders = [star for star in stars if _has(star, name)]
        if holders:
            taken[holders[-1]].append(name)
        elif name not in _KNOWN and not own_stars(module):
            return {}
    # Names that the file also binds itself may be either, at some places.
    bound = module.names.scope_of[module.tree].bindings
    if any(_has(star, name) for star in stars for name in bound):
        return {}
    return {star: sorted(names) for star, names in taken.items()}


def _is_alone(module: Module, star: ast.ImportFrom) -> bool:
    return isinstance(module.parent(star), ast.Module) and not is_guarded(module, star)


def _last(module: Module, stars: list[ast.ImportFrom]) -> int:
    """Returns how many imports there are up to the last of some."""
    return max(map(module.all(ast.ImportFrom).index, stars)) + 1


def _has(star: ast.ImportFrom, name: str) -> bool:
    qualified = f"{canonical(star.module or '')}.{name}"
    known = symbol_table.is_found(qualified.removeprefix("tensorflow."), symbol_table.OLD)
    return not name.startswith("_") and (known or is_offered(qualified))


def _free(module: Module) -> set[str]:
    """Returns the names that a file reads and does not bind."""
    imported_by_stars = module.star_names()
    names = {n.id for n in module.all(ast.Name) if not module.bindings(n)}
    return names - imported_by_stars.keys()


def _taken_from(program: Program, module: Module) -> set[str]:
    """Returns the names that other files may take from this one."""
    taken: set[str] = set()
    for other in program.modules:
        if other is module:
            continue
        if module in all_sources(other, program.star_sources):
            taken |= _free(other)
        for binding in other.import_bindings:
            source = program.source_of(other, binding)
            if source is not None and source[0] is module:
                taken |= {source[1]} if source[1] else {a.attr for a in other.all(ast.Attribute)}
    return {name for name in taken if any(_has(s, name) for s in star_imports(module, _CONTRIB))}
