"""Branches of ``tf.cond`` whose operations are used outside of them.

TensorFlow 2 makes a function of each branch, whose operations nothing outside can wait for.

Programs that use them outside (updates of batch normalization, summaries) need the control flow of
TensorFlow 1.x, which is switched for the whole process. A GradientTape cannot follow loops of such
a graph, so programs that do not need it keep the control flow of TensorFlow 2.
"""

import ast
from collections.abc import Iterable, Iterator

from tfmigrate.families.graphs.builders import Function, functions_of
from tfmigrate.model.reached import reached
from tfmigrate.resolve.calls import last_name
from tfmigrate.resolve.module import Module

_CONDITIONS = (
    "tensorflow.case", "tensorflow.cond", "tensorflow.contrib.framework.smart_cond",
    "tensorflow.contrib.layers.utils.smart_cond", "tensorflow.python.layers.utils.smart_cond",
    "tensorflow.python.ops.control_flow_ops.cond",
)  # fmt: skip
# What these make is in a collection, from which code outside takes it.
_COLLECTING = ("tensorflow.losses.", "tensorflow.contrib.losses.", "tensorflow.summary.")
_COLLECTING_NAMES = frozenset(
    (
        *("BatchNormalization", "add_loss", "add_to_collection", "add_update", "batch_norm"),
        *("batch_normalization",),
    )
)
_KEEPING_METHODS = frozenset(("add", "append", "extend", "insert", "setdefault", "update"))


def leave_branches(modules: Iterable[Module]) -> bool:
    """Returns whether what a branch builds may be used outside: kept in a list, or a collection.

    Calls are followed by name, as the builders of graphs are.
    """
    modules = list(modules)
    named: dict[str, list[tuple[Module, Function]]] = {}
    for module in modules:
        for function in functions_of(module):
            if not isinstance(function, ast.Lambda):
                named.setdefault(function.name, []).append((module, function))
    branches: list[tuple[Module, ast.AST]] = [
        (module, argument)
        for module in modules
        for call in module.calls_of(*_CONDITIONS)
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
    ]
    run = reached(
        branches, lambda code: (f for name in _functions_used(*code) for f in named.get(name, ()))
    )
    return any(_keeps(module, node) for module, code in run for node in module.walk(code))


def _functions_used(module: Module, code: ast.AST) -> Iterator[str]:
    """Yields the names of what a branch may call, itself where it is only named."""
    if isinstance(code, (ast.Name, ast.Attribute)):
        yield last_name(code)
    for node in module.walk(code):
        if isinstance(node, ast.Call):
            yield last_name(node.func)
        elif isinstance(node, ast.Tuple):  # (predicate, function) of tf.case
            yield from (last_name(e) for e in node.elts if isinstance(e, (ast.Name, ast.Attribute)))


def _keeps(module: Module, node: ast.AST) -> bool:
    """Returns whether a node puts something where code outside of its function finds it."""
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return True
    if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
        return _is_from_outside(module, node.value)
    if not isinstance(node, ast.Call):
        return False
    if (name := module.resolve(node.func)) is not None:
        return name.startswith(_COLLECTING) or name.rpartition(".")[2] in _COLLECTING_NAMES
    function = node.func
    if not isinstance(function, ast.Attribute):
        return False
    keeps = function.attr in _KEEPING_METHODS and bool(node.args)
    return keeps and _is_from_outside(module, function.value)


def _is_from_outside(module: Module, holder: ast.expr) -> bool:
    """Returns whether an object is not made in the function that uses it."""
    while isinstance(holder, (ast.Attribute, ast.Subscript)):
        holder = holder.value
    if not isinstance(holder, ast.Name):
        return False
    scope, bindings = module.names.variable(holder)
    is_parameter = any(isinstance(getattr(b, "node", None), ast.arg) for b in bindings)
    return scope is not module.names.scope_of[holder] or is_parameter
