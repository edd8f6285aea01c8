"""What a file gets from the program's own modules by ``from x import *``, as Python does it."""

import ast
import sys
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.module import Module, unknown_stars
from tfmigrate.resolve.references import PACKAGES, chain_of_import
from tfmigrate.resolve.scopes import AssignBinding, ImportBinding
from tfmigrate.tables import symbol_table
from tfmigrate.tables.chains import Chain
from tfmigrate.tables.equivalents import packages

Sources = Callable[[Module], list[Module]]
_TENSORFLOW = "tensorflow"


class _Given(dict[str, str]):
    """The names that a file is given, and below them all of TensorFlow, if it has ``import *``."""

    has_all = False

    def get(self, name: str, default: object = None) -> Any:
        """Returns what a name means."""
        if (meaning := super().get(name)) is None and self.has_all and _is_of_tensorflow(name):
            return f"{_TENSORFLOW}.{name}"
        return default if meaning is None else meaning


class Owner(Protocol):
    """A program, as far as it says where files take names from."""

    def star_sources(self, module: Module) -> list[Module]:
        """Returns the modules that a module takes all names from, in their order."""

    def source_of(self, module: Module, binding: ImportBinding) -> tuple[Module, str] | None:
        """Returns the module that an import is of, and its name there; "" for the module."""


def own_stars(module: Module) -> list[ast.ImportFrom]:
    """Returns the ``from x import *`` of a file where x may belong to the program."""
    return unknown_stars(module, PACKAGES)


def given_names(module: Module, sources: Sources) -> dict[str, str]:
    """Returns the imported names that a file gets from own modules, with what they mean.

    Those of ``import *``, of ``from common import tf``, and as ``common.tf`` those of ``import
    common``. What it gets of ``from tensorflow import *``, there or itself, is among them.
    """
    meanings = _Given()
    givers = list(all_sources(module, sources))
    meanings.has_all = any(stars_of_tensorflow(giver) for giver in (module, *givers))
    if meanings.has_all:
        free = (n.id for n in module.all(ast.Name) if not module.bindings(n))
        meanings |= {name: f"{_TENSORFLOW}.{name}" for name in free if _is_of_tensorflow(name)}
    for source in givers:
        names = source.names
        for name in _exported(source):
            if (means := names.resolve_name(name)) and not means.startswith("."):
                meanings[name] = means
    for binding in module.import_bindings:
        if is_of_package(binding):
            continue
        for name, path in [("", binding.local), *read_from(module, binding.local)]:
            if means := module.from_own(binding, name):
                meanings[path] = means
    return meanings


def stars_of_tensorflow(module: Module) -> list[ast.ImportFrom]:
    """Returns the ``from tensorflow import *`` of a file, also those of compat.v1."""
    return [
        statement
        for statement in module.all(ast.ImportFrom)
        if statement.names[0].name == "*"
        and not statement.level
        and canonical(statement.module or "") == _TENSORFLOW
    ]


def _is_of_tensorflow(name: str) -> bool:
    """Returns whether TensorFlow before 2 has a name, which ``import *`` binds."""
    return symbol_table.is_found(name, symbol_table.OLD) or name in packages()["tensorflow"].names


def lost_names(
    module: Module, owner: Owner, after: Callable[[Module], Module]
) -> list[tuple[ImportBinding, str]]:
    """Returns the imports of a file whose name its own module does not have any more.

    Returns:
        Each import, with what the name meant.
    """
    lost_imports = []
    for binding in module.import_bindings:
        held = None if is_of_package(binding) else owner.source_of(module, binding)
        means = module.from_own(binding, "") if held is not None else None
        if held is not None and means:
            new = after(held[0])
            if new is not held[0] and held[1] not in new.names.scope_of[new.tree].bindings:
                lost_imports.append((binding, means))
    return lost_imports


def is_of_package(binding: ImportBinding) -> bool:
    """Returns whether an import is of a package that no program has a module of."""
    statement = binding.statement
    if isinstance(statement, ast.ImportFrom) and statement.level:
        return False
    root = binding.qualified.lstrip(".").partition(".")[0]
    return root in PACKAGES or root in sys.stdlib_module_names


def given_chains(
    module: Module, owner: Owner, after: Callable[[Module], Module] = lambda module: module
) -> dict[str, Chain]:
    """Returns the names of TensorFlow and its companions that a file gets from own modules."""
    chains: dict[str, Chain] = {}
    givers = list(all_sources(module, owner.star_sources))
    if stars := [star for giver in (module, *givers) for star in stars_of_tensorflow(after(giver))]:
        names = (n for n, means in module.star_names().items() if means == f"{_TENSORFLOW}.{n}")
        chains |= {name: Chain(stars[-1].module or "", name) for name in names}
    for source in givers:
        new = after(source)
        for name in _exported(new):
            if chain := _chain_of(new, name):
                chains[name] = chain
    for binding in module.import_bindings:
        held = None if is_of_package(binding) else owner.source_of(module, binding)
        if held is None:
            continue
        new, bound = after(held[0]), binding.local
        for name, path in read_from(module, bound) if not held[1] else [(held[1], bound)]:
            if chain := _chain_of(new, name):
                chains[path] = chain
    return chains


def read_from(module: Module, bound: str) -> list[tuple[str, str]]:
    """Returns the attributes that a file reads from a name, and how it reaches them."""
    return [
        (node.attr, f"{bound}.{node.attr}")
        for node in module.all(ast.Attribute)
        if isinstance(node.value, ast.Name) and node.value.id == bound
    ]


def _chain_of(module: Module, name: str) -> Chain | None:
    """Returns the name of TensorFlow that a file imports by a name, if it does nothing else so."""
    bindings = module.names.scope_of[module.tree].bindings.get(name, ())
    chains = {chain_of_import(b) if isinstance(b, ImportBinding) else None for b in bindings}
    return chains.pop() if len(chains) == 1 else None


def all_sources(module: Module, sources: Sources) -> Iterator[Module]:
    """Yields the modules that a file takes names from, those they take names from first."""
    seen = {module}
    waiting = [(source, False) for source in reversed(sources(module))]
    while waiting:
        source, is_done = waiting.pop()
        if is_done:
            yield source
        elif source not in seen:
            seen.add(source)
            waiting.append((source, True))
            waiting += [(further, False) for further in reversed(sources(source))]


def _exported(module: Module) -> list[str]:
    """Returns the names of a file that ``import *`` takes: ``__all__``, or the public ones."""
    bindings = module.names.scope_of[module.tree].bindings
    listed = [b for b in bindings.get("__all__", ()) if isinstance(b, AssignBinding)]
    values = [
        node.value for b in listed for node in ast.walk(b.value) if isinstance(node, ast.Constant)
    ]
    if listed:
        return [name for name in bindings if name in values]
    return [name for name in bindings if not name.startswith("_")]
