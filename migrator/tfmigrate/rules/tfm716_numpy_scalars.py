"""A size-1 array that is used as a scalar gets `.item()`.

What it does:
    Appends `.item()` to what a session returned for a variable of shape [1], if it is formatted
    with `%f`, `%d` and similar or passed to `float` or `int`.

Why:
    NumPy used to convert a size-1 array to a scalar. Since 1.25 it warns, and since 2.4 it raises
    TypeError unless the array has no dimensions.

Example:
    Before::

        import tensorflow as tf

        weight = tf.get_variable("weight", [1], tf.float32)
        with tf.train.MonitoredTrainingSession() as session:
          w = session.run(weight)
          print("weight: %f" % w)

    After::

        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()

        weight = tf.get_variable("weight", [1], tf.float32)
        with tf.train.MonitoredTrainingSession() as session:
          w = session.run(weight)
          print("weight: %f" % w.item())

What is left to you:
    Arrays whose shape is not written where the variable is created.

Safety:
    Safe: `.item()` returns the number that NumPy converted the array to.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.model.edits import Code, Edit, ReplaceExpression
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.scopes import AssignBinding, OtherBinding
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity

SEVERITY = Severity.FIXED

_VARIABLE = "tensorflow.Variable"
_GET_VARIABLE = "tensorflow.get_variable"
_CONSTANT = "tensorflow.constant"
_OF_A_SHAPE = (
    "tensorflow.ones", "tensorflow.random_normal", "tensorflow.random_uniform",
    "tensorflow.truncated_normal", "tensorflow.zeros",
)  # fmt: skip
_CONVERSIONS = ("float", "int")
# A printf-style conversion: https://docs.python.org/3/library/stdtypes.html#old-string-formatting
_FORMAT = re.compile(
    r"%(?P<key>\([^)]*\))?[#0\- +]*(?P<width>[*\d]*)(?:\.[*\d]*)?[hlL]?(?P<kind>.)"
)
_NUMBERS = "diouxXeEfFgG"


def check(program: Program) -> Drafts:
    """Yields one draft for every file of a migrated program that has such places."""
    for module in migrated(program, "run"):
        if names := [name for name in _as_numbers(module) if _has_one_element(module, name)]:
            edits: list[Edit] = [
                ReplaceExpression(name, Code("{0}.item()", (name,))) for name in names
            ]
            message = "size-1 array used as a scalar -> .item()"
            yield file_draft(program, module, names, edits, message)


def _as_numbers(module: Module) -> Iterator[ast.Name]:
    """Yields the names that are formatted or converted as numbers."""
    for operation in module.all(ast.BinOp):
        text = operation.left
        if isinstance(operation.op, ast.Mod) and isinstance(text, ast.Constant):
            right = operation.right
            values = right.elts if isinstance(right, ast.Tuple) else [right]
            yield from _formatted(text.value, values)
    for call in module.all(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id in _CONVERSIONS and len(call.args) == 1:
            value = call.args[0]
            if isinstance(value, ast.Name) and not module.bindings(call.func):
                yield value


def _formatted(text: object, values: Sequence[ast.expr]) -> Iterator[ast.Name]:
    if not isinstance(text, str):
        return
    matches = [match for match in _FORMAT.finditer(text) if match["kind"] != "%"]
    if len(matches) != len(values) or any(match["key"] or "*" in match[0] for match in matches):
        return
    for match, value in zip(matches, values, strict=True):
        if match["kind"] in _NUMBERS and isinstance(value, ast.Name):
            yield value


def _has_one_element(module: Module, name: ast.Name) -> bool:
    """Returns whether all values of a name were fetched from variables of one element."""
    fetched = [_fetched(module, binding) for binding in module.bindings(name)]
    of_one = [node for node in fetched if node is not None and _is_variable_of_one(module, node)]
    return len(of_one) == len(fetched) > 0


def _fetched(module: Module, binding: object) -> ast.expr | None:
    """Returns what a session fetched, where a binding is the result of ``run``."""
    if isinstance(binding, AssignBinding):
        fetches = _fetches(binding.value)
        return None if isinstance(fetches, (ast.List, ast.Tuple)) else fetches
    if not isinstance(binding, OtherBinding) or not isinstance(binding.node, ast.Name):
        return None
    targets = module.parent(binding.node)
    statement = module.parent(targets)
    if not isinstance(targets, ast.Tuple) or not isinstance(statement, ast.Assign):
        return None
    fetches = _fetches(statement.value)
    if not isinstance(fetches, (ast.List, ast.Tuple)) or len(fetches.elts) != len(targets.elts):
        return None
    return fetches.elts[targets.elts.index(binding.node)]


def _fetches(value: ast.expr) -> ast.expr | None:
    if not isinstance(value, ast.Call) or has_star_arguments(value):
        return None
    is_run = isinstance(value.func, ast.Attribute) and value.func.attr == "run"
    return argument(value, 0, "fetches") if is_run else None


def _is_variable_of_one(module: Module, node: ast.expr) -> bool:
    """Returns whether a name holds variables with a dimension and one element."""
    bindings = module.bindings(node)
    return bool(bindings) and all(
        isinstance(binding, AssignBinding)
        and isinstance(binding.value, ast.Call)
        and _makes_one(module, binding.value)
        for binding in bindings
    )


def _makes_one(module: Module, call: ast.Call) -> bool:
    if has_star_arguments(call):
        return False
    if (name := module.resolve(call.func)) == _GET_VARIABLE:
        return _is_one(argument(call, 1, "shape"))
    if name == _VARIABLE:
        return _is_value_of_one(module, argument(call, 0, "initial_value"))
    return False


def _is_value_of_one(module: Module, value: ast.expr | None) -> bool:
    """Returns whether an initial value has a dimension, and one element."""
    if isinstance(value, ast.List):
        inner = value.elts[0] if len(value.elts) == 1 else None
        return isinstance(inner, ast.Constant) or _is_value_of_one(module, inner)
    if not isinstance(value, ast.Call) or has_star_arguments(value):
        return False
    if (name := module.resolve(value.func)) == _CONSTANT:
        shape = argument(value, 2, "shape")
        return _is_one(shape) if shape else _is_value_of_one(module, argument(value, 0, "value"))
    return name in _OF_A_SHAPE and _is_one(argument(value, 0, "shape"))


def _is_one(shape: ast.expr | None) -> bool:
    """Returns whether a shape is written down, with one dimension or more, all of them 1."""
    if not isinstance(shape, (ast.List, ast.Tuple)) or not shape.elts:
        return False
    return all(isinstance(size, ast.Constant) and size.value == 1 for size in shape.elts)
