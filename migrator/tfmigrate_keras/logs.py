"""Log messages about what Keras does not have: the mode of an Estimator and its RunConfig.

Programs print both to show how they were started. There is no value to print any more, so that the
message is removed, with ``--unsafe`` only.
"""

import ast
from collections.abc import Collection

from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import Conversion

_LOGS = frozenset(
    f"tensorflow.logging.{name}" for name in ("debug", "info", "warn", "warning", "error")
)


def remove_log(plan: Conversion, module: Module, node: ast.expr) -> bool:
    """Removes the log message that an expression is in; only with ``--unsafe``.

    Returns:
        Whether it is in one.
    """
    statement = module.statement(node)
    message = statement.value if isinstance(statement, ast.Expr) else None
    if called(module, message) not in _LOGS:
        return False
    if any(isinstance(n, ast.Call) and n is not message for n in module.walk(statement)):
        return False  # the call may do more
    if not plan.is_removed(statement):
        text = f"the log message of `{ast.unparse(node)}` is not written"
        plan.unsafe.append((module, statement, text))
        plan.remove(module, statement)
    return True


def remove_logs(
    plan: Conversion, module: Module, function: ast.FunctionDef, names: Collection[str]
) -> None:
    """Removes the log messages of a function that use one of the names; as ``remove_log``."""
    for node in module.all(ast.Name, function):
        if node.id in names:
            remove_log(plan, module, node)
