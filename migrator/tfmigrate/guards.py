"""Which names a program only uses where TensorFlow has them."""

from __future__ import annotations

import ast

from tfmigrate.module import Module
from tfmigrate.names import AssignBinding

_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError"})
_ANY_ERROR = frozenset({"Exception", "BaseException"})
_VERSIONS = frozenset({"__version__", "VERSION", "GIT_VERSION", "__git_version__"})


def is_guarded(module: Module, node: ast.AST) -> bool:
    """Says whether a node stands where its names may be missing.

    That is: in a try statement for imports or attributes that fail (its handlers included), and
    below a condition that asks ``hasattr`` or the version of TensorFlow.
    """
    inner = node
    for outer in module.ancestors(node):
        if isinstance(outer, ast.Try) and inner not in (*outer.orelse, *outer.finalbody):
            if any(_catches_missing(outer, handler) for handler in outer.handlers):
                return True
        elif isinstance(outer, (ast.If, ast.IfExp)):
            if inner is not outer.test and _asks_what_is_there(module, outer.test):
                return True
        elif isinstance(outer, ast.BoolOp):
            before = outer.values[: outer.values.index(inner)] if inner in outer.values else []
            if any(_asks_what_is_there(module, value) for value in before):
                return True
        inner = outer
    return False


def _catches_missing(statement: ast.Try, handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {ast.unparse(error) for error in caught if error is not None}
    if names & _ERRORS:
        return True
    # Whoever catches everything means missing names only where there is nothing else to fail.
    only_imports = all(isinstance(s, (ast.Import, ast.ImportFrom)) for s in statement.body)
    return only_imports and (handler.type is None or bool(names & _ANY_ERROR))


def _asks_what_is_there(module: Module, test: ast.expr, depth: int = 2) -> bool:
    """Says whether a condition asks for the version of TensorFlow, or for what it has."""
    for node in ast.walk(test):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "hasattr":
                return True
        elif isinstance(node, ast.Attribute):
            qualified = module.resolve(node) or ""
            if node.attr in _VERSIONS and qualified.startswith("tensorflow."):
                return True
        elif isinstance(node, ast.Name) and depth:
            found = module.names.scope_of[node].lookup(node.id)
            values = [b.value for b in found[1] if isinstance(b, AssignBinding)] if found else []
            if any(_asks_what_is_there(module, value, depth - 1) for value in values):
                return True
    return False
