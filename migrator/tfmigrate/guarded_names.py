"""Names that are assigned under a condition, and read under the same one."""

from __future__ import annotations

import ast
from collections.abc import Collection

from tfmigrate.module import Module
from tfmigrate.names import Scope
from tfmigrate.settled_values import CannotTell
from tfmigrate.sync_conditions import tests_around


def is_read_where_assigned(module: Module, scope: Scope, name: str, part: Collection[int]) -> bool:
    """Says whether all reads of a name outside some code are on paths where that code assigned it.

    Args:
        module: the file.
        scope: the scope of the name.
        name: the name.
        part: the ids of the nodes of the code that assigns it.
    """
    named = [node for node in module.all(ast.Name) if node.id == name]
    ours = [n for n in named if (module.names.scope_of[n].lookup(name) or (None,))[0] is scope]
    stores = [n for n in ours if id(n) in part and isinstance(n.ctx, ast.Store)]
    reads = [n for n in ours if id(n) not in part and isinstance(n.ctx, ast.Load)]
    if any(module.names.scope_of[node] is not scope for node in (*stores, *reads)):
        return False  # a function reads it whenever it is called
    assigned = [_conditions(module, node) for node in stores]
    return all(any(a <= _conditions(module, node) for a in assigned) for node in reads)


def _conditions(module: Module, node: ast.Name) -> frozenset[str]:
    """Returns what holds wherever a node is evaluated, as text."""
    try:
        tests = tests_around(module, node)
    except CannotTell:
        return frozenset({ast.unparse(module.statement(node))})
    found = set()
    for test in tests:
        asked = test.expression
        together = isinstance(asked, ast.BoolOp) and isinstance(asked.op, ast.And) and test.holds
        values = asked.values if together and isinstance(asked, ast.BoolOp) else [asked]
        found |= {f"{ast.unparse(value)} is {test.holds}" for value in values}
    return frozenset(found)
