"""What a file gets from the program's own modules by ``from x import *``, as Python does it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from tfmigrate.resolve.module import Module
from tfmigrate.resolve.names import AssignBinding, ImportBinding
from tfmigrate.resolve.references import PACKAGES, chain_of_import
from tfmigrate.tables.chains import Chain

Sources = Callable[[Module], list[Module]]


def own_stars(module: Module) -> list[ast.ImportFrom]:
    """Returns the ``from x import *`` of a file where x may belong to the program."""
    return [
        statement
        for statement in module.all(ast.ImportFrom)
        if statement.names[0].name == "*"
        and (statement.level or (statement.module or "").partition(".")[0] not in PACKAGES)
    ]


def given_names(module: Module, sources: Sources) -> dict[str, str]:
    """Returns the imported names that a file gets from own modules, with what they mean.

    Args:
        module: the file.
        sources: the modules of the program that a file takes all names from, in their order.
    """
    found: dict[str, str] = {}
    for source in _all_sources(module, sources):
        names = source.names
        for name in _exported(source):
            means = names.resolve_name(name)
            if means and not means.startswith("."):
                found[name] = means
    return found


def given_chains(
    module: Module, sources: Sources, after: Callable[[Module], Module] = lambda module: module
) -> dict[str, Chain]:
    """Returns the names of TensorFlow and its companions that a file gets from own modules.

    Args:
        module: the file.
        sources: the modules of the program that a file takes all names from, in their order.
        after: the migrated form of a module.
    """
    found: dict[str, Chain] = {}
    for source in _all_sources(module, sources):
        new = after(source)
        bindings = new.names.scope_of[new.tree].bindings
        for name in _exported(new):
            those = bindings.get(name, ())
            chains = {chain_of_import(b) if isinstance(b, ImportBinding) else None for b in those}
            (chain,) = chains if len(chains) == 1 else (None,)
            if chain is not None:
                found[name] = chain
    return found


def _all_sources(module: Module, sources: Sources) -> Iterator[Module]:
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
