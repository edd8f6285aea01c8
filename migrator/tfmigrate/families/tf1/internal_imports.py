"""Imports of TensorFlow's own modules whose contents are in another of them now."""

import ast

from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.rulekit.runtime_import import import_of
from tfmigrate.tables.internal_names import moved_name


def rehomed_imports(module: Module) -> dict[ImportBinding, str]:
    """Returns the imports of what another internal module has now, each with the new import."""
    new_imports = {}
    for binding in imports(module):
        if isinstance(binding.statement, ast.Import) and not binding.alias.asname:
            continue
        new = moved_name(binding.qualified) or _moved_module(module, binding)
        if new is None or is_guarded(module, binding.statement):
            continue
        new_imports[binding] = import_of(new, binding.local)
    return new_imports


def _moved_module(module: Module, binding: ImportBinding) -> str | None:
    """Returns the one module that has all that is used of an imported one; None if there is none.

    A module that is only imported stays: what its import is to do is not known.
    """
    prefix = binding.qualified + "."
    homes = set()
    for use in module.uses_through(binding):
        used = module.names.spelled(use.node) if isinstance(use.node, ast.expr) else None
        new = moved_name(used) if used and used.startswith(prefix) else None
        inside = "." + (used or "").removeprefix(prefix)
        homes.add(new.removesuffix(inside) if new and new.endswith(inside) else None)
    return homes.pop() if len(homes) == 1 else None
