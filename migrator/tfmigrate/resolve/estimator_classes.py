"""Which calls build an Estimator."""

import ast

from tfmigrate.resolve.calls import called_builtin
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.origins import class_around

ESTIMATOR = "tensorflow.estimator.Estimator"


def is_estimator(module: Module, call: ast.Call) -> bool:
    """Returns whether a call builds a tf.estimator.Estimator, or initializes one in a subclass."""
    function = call.func
    if module.resolve(function) == ESTIMATOR:
        return True
    if isinstance(function, ast.Name):
        return _is_plain_subclass(module, function)
    if not isinstance(function, ast.Attribute) or function.attr != "__init__":
        return False
    is_super = called_builtin(module, function.value) == "super"
    holder = class_around(module, call)
    return is_super and holder is not None and _derives(module, holder)


def _is_plain_subclass(module: Module, name: ast.Name) -> bool:
    for node in module.tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name.id and _derives(module, node):
            methods = [n.name for n in node.body if isinstance(n, ast.FunctionDef)]
            return "__init__" not in methods
    return False


def _derives(module: Module, node: ast.ClassDef) -> bool:
    return any(module.resolve(base) == ESTIMATOR for base in node.bases)
