"""Statements of one mode that the conversion keeps: what they compute must not reach others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.families.native.conversion import Conversion, refuse
from tfmigrate.families.native.dropouts import is_in_training
from tfmigrate.families.native.model_function import ModelFunction
from tfmigrate.families.native.modes import ALL, EVAL, TRAIN
from tfmigrate.resolve.module import Module


def check_branch(plan: Conversion, model: ModelFunction, branch: ast.If, orelse: bool) -> None:
    """Checks a branch that is kept for all modes.

    Raises:
        Refusal: it changes the model of one mode.
    """
    modes = model.modes.true_in(branch.test) or frozenset()
    modes = ALL - modes if orelse else modes
    if modes >= {TRAIN, EVAL}:
        return
    module = model.module
    for store in _stores(plan, model, branch.orelse if orelse else branch.body):
        held = store.value if isinstance(store, ast.Subscript) else None
        if isinstance(held, ast.Name) and (model.function, held.id) in plan.names_in_use:
            continue  # a metric is added
        if not isinstance(store, ast.Name):
            refuse(store, f"`{ast.unparse(store)}` is set in some modes only")
        for node in module.all(ast.Name, model.function):
            reads = node.id == store.id and isinstance(node.ctx, ast.Load)
            if reads and not plan.is_removed(node) and not _is_below(module, node, branch):
                refuse(store, f"the model depends on the mode: `{store.id}` is set in some only")


def _stores(plan: Conversion, model: ModelFunction, block: list[ast.stmt]) -> Iterator[ast.expr]:
    """Yields what statements that are kept set, but for dropouts."""
    for statement in block:
        for node in model.module.walk(statement):
            if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
                continue
            parent = model.module.parent(node)
            value = parent.value if isinstance(parent, ast.Assign) else None
            if isinstance(node.ctx, ast.Load) or plan.is_removed(node):
                continue
            if value is None or not is_in_training(model.module, value, model.modes):
                yield node


def _is_below(module: Module, node: ast.AST, branch: ast.If) -> bool:
    return any(above is branch for above in module.ancestors(node))
