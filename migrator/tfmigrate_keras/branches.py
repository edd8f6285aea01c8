"""Statements of one mode that the conversion keeps: what they compute must not reach others.

With the test of the mode gone, ``if mode == TRAIN: x = f(x)`` would run in all modes.
"""

import ast
from collections.abc import Iterator

from tfmigrate_keras.conversion import Conversion, is_nothing, reads, refuse
from tfmigrate_keras.dropouts import is_in_training
from tfmigrate_keras.model_function import ModelFunction
from tfmigrate_keras.modes import ALL, EVAL, TRAIN


def check_rebound(model: ModelFunction) -> None:
    """Refuses names that some modes only set anew, and that others read.

    Raises:
        Refusal: a mode would read the value of another.
    """
    module, known = model.module, model.modes
    for branch in module.all(ast.If, model.function):
        if known.true_in(branch.test) is None:
            continue
        for block in (branch.body, branch.orelse):
            if not block or isinstance(block[-1], (ast.Return, ast.Raise)):
                continue
            inside = {node for statement in block for node in module.walk(statement)}
            for name in inside:
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    _check_readers(model, branch, inside, name)


def _check_readers(
    model: ModelFunction, branch: ast.If, inside: set[ast.AST], name: ast.Name
) -> None:
    """Refuses a name that a branch sets anew, and that is read where the branch is not run."""
    module, statement = model.module, model.module.statement(name)
    value = statement.value if isinstance(statement, ast.Assign) else None
    if is_nothing(statement) or (value and is_in_training(module, value, model.modes)):
        return
    others = [n for n in module.all(ast.Name, model.function) if n.id == name.id]
    start = module.position(branch)
    bound = name.id in model.parameters.values() or any(
        isinstance(n.ctx, ast.Store)
        and module.position(n) < start
        and not is_nothing(module.statement(n))
        for n in others
    )
    modes = modes_at(model, statement)
    for node in others:
        below = isinstance(node.ctx, ast.Load) and module.position(node) > start
        if bound and below and node not in inside and modes_at(model, node) - modes:
            refuse(name, f"the model depends on the mode: `{name.id}` is set anew in some only")


def modes_at(model: ModelFunction, node: ast.AST) -> frozenset[str]:
    """Returns the modes in which code of a model function may run."""
    module, active = model.module, ALL
    inner: ast.AST = node
    for outer in module.ancestors(node):
        if isinstance(outer, ast.If):
            if (true := model.modes.true_in(outer.test)) is not None and inner in outer.body:
                active &= true
            elif true is not None and inner in outer.orelse:
                active -= true
        for block in (getattr(outer, "body", []), getattr(outer, "orelse", [])):
            if isinstance(block, list) and inner in block:
                for above in block[: block.index(inner)]:
                    active -= _ended(model, above)
        if outer is model.function:
            break
        inner = outer
    return active


def _ended(model: ModelFunction, statement: ast.stmt) -> frozenset[str]:
    """Returns the modes in which a statement ends the function."""
    if isinstance(statement, (ast.Return, ast.Raise)):
        return ALL
    true = model.modes.true_in(statement.test) if isinstance(statement, ast.If) else None
    if true is None or not isinstance(statement, ast.If):
        return frozenset()
    ended_modes = frozenset[str]()
    for block, modes in ((statement.body, true), (statement.orelse, ALL - true)):
        for inner in block:
            ended_modes |= modes & _ended(model, inner)
    return ended_modes


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
        for node in plan.left(reads(module, model.function, store.id)):
            if branch not in module.ancestors(node):
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
