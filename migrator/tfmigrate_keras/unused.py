"""Assignments of a model function that nothing needs any more.

What the loss, the metrics and the training needed is removed bit by bit; what nothing reads after
that would still be run when the model is built.
"""

import ast
from collections.abc import Iterator

from tfmigrate.model.edits import InsertBefore, ReplaceStatement, StatementsToFunction
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import place_of
from tfmigrate_keras.conversion import Conversion, refuse
from tfmigrate_keras.tables.metrics import METRICS
from tfmigrate_keras.tables.operations import OPERATIONS
from tfmigrate_keras.tables.optimizers import GLOBAL_STEPS

_CALLS = frozenset(
    (
        *GLOBAL_STEPS, "tensorflow.get_collection",
        "tensorflow.losses.get_regularization_loss", "tensorflow.losses.get_regularization_losses",
        "tensorflow.add_n", "tensorflow.argmax", "tensorflow.trainable_variables",
        "tensorflow.estimator.export.PredictOutput",
        "tensorflow.estimator.export.ClassificationOutput",
        "tensorflow.estimator.export.RegressionOutput",
    )
)  # fmt: skip
SUMMARIES = ("tensorflow.summary.", "tensorflow.contrib.summary.")
_BLOCKS = (ast.With, ast.If, ast.For)


def remove_unused(plan: Conversion, module: Module, function: ast.FunctionDef) -> None:
    """Removes assignments to names without a use, and blocks that become empty."""
    while True:
        unused_statements = [
            s for s in module.all(ast.stmt, function) if _is_unused(plan, module, s)
        ]
        if not unused_statements:
            return
        for statement in unused_statements:
            plan.remove(module, statement)


def remove_summaries(plan: Conversion, module: Module, function: ast.FunctionDef) -> None:
    """Removes summaries, which a Keras model does not write; only with ``--unsafe``."""
    for statement in plan.left(module.all(ast.Expr, function)):
        if (name := called(module, statement.value)).startswith(SUMMARIES):
            what = name.replace("tensorflow.", "tf.", 1)
            plan.unsafe.append((module, statement, f"`{what}` of the model is not written"))
            plan.remove(module, statement)


def _is_unused(plan: Conversion, module: Module, statement: ast.stmt) -> bool:
    if plan.is_removed(statement):
        return False
    if isinstance(statement, _BLOCKS):
        blocks = [*statement.body, *getattr(statement, "orelse", [])]
        return all(plan.is_removed(inner) for inner in blocks)
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call) and _is_pure(module, statement.value)
    if not isinstance(statement, ast.Assign) or not _is_pure(module, statement.value):
        return False
    names = {target.id for target in statement.targets if isinstance(target, ast.Name)}
    if len(names) != len(statement.targets):
        return False
    function = module.function(statement)
    if any((function, name) in plan.names_in_use for name in names):
        return False
    scope = module.names.scope_of[statement]
    read = [node for name in names for node in module.reads(name, scope)]
    return all(plan.is_removed(node) for node in read)


def _is_pure(module: Module, value: ast.expr) -> bool:
    """Returns whether computing a value changes nothing and makes no variables."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            name = module.resolve(node.func) or ""
            if name not in OPERATIONS and name not in _CALLS and name not in METRICS:
                return False
        elif isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
            return False
    return True


def check_removed(plan: Conversion) -> None:
    """Checks that nothing reads a name whose assignments are all removed.

    Raises:
        Refusal: something does.
    """
    for module, edits in plan.edits.items():
        removed = {e.statement for e in edits if isinstance(e, ReplaceStatement) and not e.codes}
        for statement in removed:
            if isinstance(statement, (ast.Assign, ast.FunctionDef)):
                _check_names(plan, module, statement)


def _inserted(plan: Conversion, module: Module) -> Iterator[str]:
    """Yields the templates of statements that are added."""
    for edit in plan.edits[module]:
        if isinstance(edit, InsertBefore):
            yield edit.code.template
        elif isinstance(edit, StatementsToFunction):
            codes = (*edit.before, *edit.begins, *edit.after)
            yield from (code.template for code in codes)


def _check_names(plan: Conversion, module: Module, statement: ast.Assign | ast.FunctionDef) -> None:
    names = [statement.name] if isinstance(statement, ast.FunctionDef) else []
    if isinstance(statement, ast.Assign):
        names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
    scope = module.names.scope_of[statement]
    imported = {needed.rpartition(".")[2] for needed in plan.imports[module]}
    inserted = list(_inserted(plan, module))
    for name in set(names) - imported:
        if any(f"{name} = " in template for template in inserted):
            continue  # set at another place now
        _, bindings = scope.lookup(name) or (None, [])
        if not all(plan.is_removed(place_of(binding)) for binding in bindings):
            continue
        for node in plan.left(module.reads(name, scope)):
            if not (statement in plan.moved and plan.is_of_values(module, node)):
                refuse(node, f"`{name}` is still read here, but Keras has nothing for its value")
