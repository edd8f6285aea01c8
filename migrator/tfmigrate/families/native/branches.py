"""Statements of one mode that the conversion keeps: what they compute must not reach others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.families.native.conversion import Conversion, refuse
from tfmigrate.families.native.dropouts import is_in_training
from tfmigrate.families.native.model_function import ModelFunction
from tfmigrate.families.native.modes import ALL, EVAL, TRAIN
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.names import is_none


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


def remove_nothing(plan: Conversion, model: ModelFunction) -> None:
    """Removes ``loss = None`` where the branch that sets the name is kept for all modes."""
    module = model.module
    for statement in module.all(ast.Assign, model.function):
        value, target = statement.value, statement.targets[0]
        values = value.elts if isinstance(value, ast.Tuple) else [value]
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        names = [t.id for t in targets if isinstance(t, ast.Name)]
        if plan.is_removed(statement) or len(names) != len(targets) or len(statement.targets) > 1:
            continue
        if all(map(is_none, values)) and all(_is_set(plan, model, statement, n) for n in names):
            plan.remove(module, statement)


def _is_set(plan: Conversion, model: ModelFunction, statement: ast.stmt, name: str) -> bool:
    """Says whether every use of a name comes after another assignment that always runs."""
    module = model.module
    kept = {branch for branch, _ in model.branches}
    nodes = [
        n
        for n in module.all(ast.Name, model.function)
        if n.id == name and not plan.is_removed(n) and module.statement(n) is not statement
    ]
    stores = [
        module.position(node)
        for node in nodes
        if isinstance(node.ctx, ast.Store)
        and all(
            place is model.function or place in kept or isinstance(place, (ast.With, ast.Assign))
            for place in _inside(module, node, model.function)
        )
    ]
    loads = [module.position(node) for node in nodes if isinstance(node.ctx, ast.Load)]
    if not stores:
        return not loads and (model.function, name) not in plan.names_in_use
    return all(load > min(stores) for load in loads)


def _inside(module: Module, node: ast.AST, function: ast.FunctionDef) -> Iterator[ast.stmt]:
    """Yields the statements around a node, up to a function."""
    for place in module.ancestors(node):
        if place is function:
            return
        if isinstance(place, ast.stmt):
            yield place


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
