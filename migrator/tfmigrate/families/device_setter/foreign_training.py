"""Calls of other people's libraries, in a block under a device setter, that train what it builds.

What such a function does cannot be read. One that gets the server or a training operation has no
other use for it than a session of its own, which no replica function can hold.
"""

import ast
import sys
from collections.abc import Collection, Iterator

from tfmigrate.resolve.scopes import AssignBinding, ImportBinding
from tfmigrate.rulekit.basics import Module, Program
from tfmigrate.tables.runtime_modules import RUNTIME

_KNOWN = sys.stdlib_module_names | {"absl", "numpy", "six", "tensorflow", "tf_slim"}
_TRAINING_OPS = ("minimize", "apply_gradients")
_SERVERS = ("tensorflow.train.Server", f"{RUNTIME}.between_graph.Server")


def trained_by_libraries(
    program: Program, module: Module, statements: Collection[ast.stmt]
) -> Iterator[ast.Call]:
    """Yields the calls of functions outside of the program that get a server or a training step."""
    for statement in statements:
        for call in module.all(ast.Call, statement):
            if _is_foreign(program, module, call) and any(
                _is_trained(module, part)
                for value in (*call.args, *(keyword.value for keyword in call.keywords))
                for part in module.walk(value)
            ):
                yield call


def _is_foreign(program: Program, module: Module, call: ast.Call, depth: int = 0) -> bool:
    """Returns whether a call is of a library's function, or of a method of what one returned."""
    function = call.func
    if module.resolve(function) == "functools.partial" and call.args:
        function = call.args[0]
    while isinstance(function, (ast.Attribute, ast.Call)):
        function = function.value if isinstance(function, ast.Attribute) else function.func
    for binding in module.bindings(function):
        if isinstance(binding, ImportBinding):
            known = binding.qualified.partition(".")[0] in _KNOWN
            return not known and not program.loaded_by(module, binding.statement)
        if isinstance(binding, AssignBinding) and isinstance(binding.value, ast.Call) and depth < 3:
            return _is_foreign(program, module, binding.value, depth + 1)
    return False


def _is_trained(module: Module, node: ast.AST) -> bool:
    """Returns whether an expression is a server, its target or a training step."""
    for binding in module.bindings(node):
        value = binding.value if isinstance(binding, AssignBinding) else None
        if isinstance(value, ast.Attribute) and value.attr == "target":
            return _is_trained(module, value.value)
        if isinstance(value, ast.Call):
            method = value.func.attr if isinstance(value.func, ast.Attribute) else ""
            if module.resolve(value.func) in _SERVERS or method in _TRAINING_OPS:
                return True
    return False
