"""Where new statements of a program can stand, and their names."""

from __future__ import annotations

import ast

from tfmigrate.model.edits import Code
from tfmigrate.resolve.module import Module


def known_at(module: Module, code: Code, place: ast.stmt) -> bool:
    """Says whether the names in new code have their values above a statement."""
    for part in code.parts:
        for node in ast.walk(part):
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                continue
            scope, bindings = module.names.scope_of[node].lookup(node.id) or (None, [])
            if scope is None or scope is not module.names.scope_of[place]:
                continue
            for binding in bindings:
                bound = getattr(binding, "statement", None) or getattr(binding, "node", None)
                if isinstance(bound, ast.arg) or bound is None:
                    continue
                if module.position(bound) > module.position(place):
                    return False
    return True


def free_name(module: Module, name: str) -> str:
    """Returns a name that a file does not use."""
    return name if not module.names.bindings_of(name) else f"keras_{name}"
