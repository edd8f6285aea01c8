"""What model code of a replicated program does that its towers made special."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.module import Module
from tfmigrate.names import AssignBinding
from tfmigrate.program import Program
from tfmigrate.replication import OPTIMIZER, own_copies

GRADIENTS = "tensorflow.gradients"
VARIABLE_SCOPE = "tensorflow.get_variable_scope"


def model_modules(program: Program) -> Iterator[tuple[Module, str]]:
    """Yields the modules where a replicated model can stand, each with its group."""
    for module, group in program.imported_by_groups.items():
        if not own_copies(module):
            yield module, group


def within_function(module: Module, node: ast.AST) -> bool:
    """Says whether a node stands in a function, where towers would run it."""
    return not isinstance(module.function(node), ast.Module)


def apply_gradients_calls(module: Module) -> list[ast.Call]:
    """Returns the calls of a method named apply_gradients, in the order of the text."""
    calls = [
        call
        for call in module.all(ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "apply_gradients"
    ]
    return sorted(calls, key=module.position)


def is_zip(module: Module, node: ast.expr | None) -> bool:
    """Says whether an expression is a one-shot iterator made by ``zip``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
        return module.names.scope_of[node.func].lookup("zip") is None
    if isinstance(node, ast.Name):
        found = module.names.scope_of[node].lookup(node.id)
        values = [b.value for b in found[1] if isinstance(b, AssignBinding)] if found else []
        return bool(values) and is_zip(module, values[-1]) and not isinstance(values[-1], ast.Name)
    return False


def has_tower_optimizer(program: Program, group: str) -> bool:
    """Says whether any module of a group has a TowerOptimizer."""
    return any(m.uses_of(OPTIMIZER) for m, g in program.groups.items() if g == group)
