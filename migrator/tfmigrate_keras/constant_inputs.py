"""Input functions that return constants: every batch is the same.

In a graph such tensors have the same values at every step, and never end: as a Dataset, one batch
that is repeated.
"""

import ast
from collections.abc import Iterator

from tfmigrate.model.edits import Code
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import Conversion, called, resolved
from tfmigrate_keras.tables.operations import DTYPES
from tfmigrate_keras.tensors import source

_CONSTANTS = ("tensorflow.constant", "tensorflow.convert_to_tensor")
_CHANGES = ("cast", "reshape", "expand_dims", "one_hot", "transpose", "stack", "concat")
_KNOWN = frozenset(
    (*_CONSTANTS, *(f"tensorflow.{name}" for name in (*_CHANGES, *DTYPES)), "tensorflow")
)


def return_constants(plan: Conversion, module: Module, statement: ast.Return) -> bool:
    """Plans a Dataset of one batch for ``return {'x': tf.constant(x)}, tf.constant(y)``.

    Returns:
        Whether the statement is such a return.
    """
    value = statement.value
    if not isinstance(value, ast.Tuple) or len(value.elts) != len(("features", "labels")):
        return False
    leaves = [leaf for element in value.elts for leaf in _leaves(element)]
    if not leaves or not all(_is_constant(module, leaf) for leaf in leaves):
        return False
    first = source(module, leaves[0])
    root: ast.AST = first
    while isinstance(root, (ast.Call, ast.Attribute)):
        root = root.func if isinstance(root, ast.Call) else root.value
    if not isinstance(root, ast.Name) or module.resolve(root) != "tensorflow":
        return False
    template = f"return {root.id}.data.Dataset.from_tensors(({{0}}, {{1}})).repeat()"
    plan.replace_statement(module, statement, Code(template, tuple(value.elts)))
    return True


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Dict):
        for value in node.values:
            yield from _leaves(value)
    else:
        yield node


def _is_constant(module: Module, leaf: ast.expr) -> bool:
    """Returns whether an expression is a tensor that has one value."""
    value = source(module, leaf)
    if not called(module, value).startswith("tensorflow."):
        return False
    waiting, seen = [value], set()
    while waiting:
        node = waiting.pop()
        for inner in ast.walk(node):
            if isinstance(inner, (ast.Name, ast.Attribute)):
                name = resolved(module, inner)
                if name.startswith("tensorflow") and name not in _KNOWN:
                    return False
            if isinstance(inner, ast.Name) and inner not in seen:
                seen.add(inner)
                waiting.append(source(module, inner))
    return True
