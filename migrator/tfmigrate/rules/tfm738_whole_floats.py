"""A quotient that is the size of a variable or a cell becomes an integer.

What it does:
    Puts `int(...)` around quotients that are the number of units of an RNN cell, or a dimension of
    the shape of a variable, a placeholder or a parsed feature, or of `tensor.set_shape(...)`.

Why:
    `units / 2` is a float in Python 3. TensorFlow 1.15 took whole floats as sizes; TensorFlow 2
    raises TypeError: "Dimension value must be integer or None".

Example:
    Before::

        import tensorflow as tf

        def halved(x, units):
          return tf.matmul(x, tf.get_variable("w", [units, units / 2]))

    After::

        import tensorflow.compat.v1 as tf

        def halved(x, units):
          return tf.matmul(x, tf.get_variable("w", [units, int(units / 2)]))

What is left to you:
    Sizes that other functions compute.

Safety:
    Safe: TensorFlow 1.15 took whole numbers only, and Python 2 dropped the remainder, too.
"""

import ast
from collections.abc import Iterator, Mapping

from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.resolve.calls import argument, has_star_arguments, method_calls
from tfmigrate.resolve.origins import origins
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity

SEVERITY = Severity.FIXED

_CORE_CELLS = ("BasicLSTMCell", "BasicRNNCell", "GRUCell", "LSTMCell")
_CELLS = (
    *_CORE_CELLS, "CoupledInputForgetGateLSTMCell", "GRUBlockCell", "GRUBlockCellV2",
    "LSTMBlockCell", "LSTMBlockFusedCell", "LayerNormBasicLSTMCell", "NASCell", "UGRNNCell",
)  # fmt: skip
# Where a size is: by position and by name. None of them may be None.
_SIZES: Mapping[str, tuple[int, str]] = {
    **{f"tensorflow.nn.rnn_cell.{name}": (0, "num_units") for name in _CORE_CELLS},
    **{
        f"{package}.{name}": (0, "num_units")
        for package in ("tensorflow.contrib.rnn", "tfmigrate_runtime.rnn")
        for name in _CELLS
    },
}
_SHAPES: Mapping[str, tuple[int, str]] = {
    "tensorflow.FixedLenFeature": (0, "shape"),
    "tensorflow.TensorShape": (0, "dims"),
    "tensorflow.get_local_variable": (1, "shape"),
    "tensorflow.get_variable": (1, "shape"),
    "tensorflow.placeholder": (1, "shape"),
    "tensorflow.placeholder_with_default": (1, "shape"),
}


def check(program: Program) -> Drafts:
    """Yields one draft for every file of a migrated program that has such sizes."""
    for module in migrated(program):
        if not any(isinstance(node.op, ast.Div) for node in module.all(ast.BinOp)):
            continue
        quotients = sorted(dict.fromkeys(_quotients(module)), key=module.position)
        if not quotients:
            continue
        edits = (ReplaceExpression(node, Code("int({0})", (node,))) for node in quotients)
        message = "sizes that are quotients -> integers"
        yield file_draft(program, module, quotients, edits, message)


def _quotients(module: Module) -> Iterator[ast.expr]:
    """Yields the expressions that are sizes, and floats in Python 3."""
    for name, place in _SIZES.items():
        for call in module.calls_of(name):
            size = None if has_star_arguments(call) else argument(call, *place)
            values = origins(module, size) if size is not None else None
            if size is not None and values and all(_is_quotient(value) for value in values):
                yield size
    shaped = [(call, place) for name, place in _SHAPES.items() for call in module.calls_of(name)]
    own = {function.name for function in module.all(ast.FunctionDef)}
    methods = method_calls(module, *({"set_shape"} - own))  # which only tensors have
    shaped += [(call, (0, "shape")) for call, m in methods if module.resolve(m) is None]
    for call, place in shaped:
        shape = None if has_star_arguments(call) else argument(call, *place)
        for value in (origins(module, shape) or ()) if shape is not None else ():
            if isinstance(value, (ast.List, ast.Tuple)):
                yield from (size for size in value.elts if _is_quotient(size))


def _is_quotient(node: ast.expr) -> bool:
    """Returns whether an expression is made of ``/`` and other arithmetic."""
    if not isinstance(node, ast.BinOp):
        return False
    if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        return _is_quotient(node.left) or _is_quotient(node.right)
    return isinstance(node.op, ast.Div)
