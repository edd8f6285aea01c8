"""A removed NumPy alias becomes its replacement.

What it does:
    Replaces `np.float`, `np.int`, `np.bool`, `np.object`, `np.str` and `np.long` with the built-in
    types; `np.Inf`, `np.NaN`, `np.product`, `np.float_` and similar aliases with the remaining
    names; `.tostring()` of an array with `.tobytes()`; and `np.fromstring` of bytes with
    `np.frombuffer(...).copy()`.

Why:
    TensorFlow 2.16 needs NumPy 1.26 or later. NumPy 1.24 removed the types, 2.0 the other names,
    and 2.3 tostring and the binary mode of fromstring. The program fails at their first use.

Example:
    Before::

        import numpy as np
        import tensorflow as tf

        def feature(image):
          raw = image.astype(np.float).tostring()
          return tf.train.Feature(bytes_list=tf.train.BytesList(value=[raw]))

        record = next(tf.python_io.tf_record_iterator(path))
        values = np.fromstring(record, np.uint8)

    After::

        import numpy as np
        import tensorflow.compat.v1 as tf

        def feature(image):
          raw = image.astype(float).tobytes()
          return tf.train.Feature(bytes_list=tf.train.BytesList(value=[raw]))

        record = next(tf.python_io.tf_record_iterator(path))
        values = np.frombuffer(record, np.uint8).copy()

What is left to you:
    Names whose replacement takes different arguments (np.asscalar, np.in1d, np.msort, np.trapz).

Safety:
    Safe: each replacement is the same object, or does the same, in every NumPy since 1.8.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.is_tf1 import centres_of, group_of
from tfmigrate.model.edits import Code, Edit, ReplaceExpression
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft, Joins

CODE = "TFM712"
NAME = "numpy-names"
SEVERITY = Severity.FIXED
TARGET = "2.16"
JOINS = Joins.NAMES

_BUILT_IN = {
    "bool": "bool",
    "complex": "complex",
    "float": "float",
    "int": "int",
    "long": "int",
    "object": "object",
    "str": "str",
    "unicode": "str",
}
_OF_NUMPY = {
    "Inf": "inf",
    "Infinity": "inf",
    "NaN": "nan",
    "PINF": "inf",
    "alltrue": "all",
    "bool8": "bool_",
    "complex_": "complex128",
    "cumproduct": "cumprod",
    "float_": "float64",
    "infty": "inf",
    "int0": "intp",
    "mat": "asmatrix",
    "product": "prod",
    "round_": "round",
    "row_stack": "vstack",
    "sometrue": "any",
    "string_": "bytes_",
    "unicode_": "str_",
}
_METHOD = "tostring"
_FROM_STRING = "numpy.fromstring"


def check(program: Program) -> Iterator[Draft]:
    """Yields one draft for every file of a migrated program that uses such names."""
    centres = program.once(centres_of)
    for module in program.modules:
        if not module.mentions("numpy", _METHOD) or not program.connected(module, centres):
            continue
        edits = [*_names(module), *_calls(module)]
        if edits:
            nodes = [edit.node for edit in edits]
            count = f" ({len(nodes)} places)" if len(nodes) > 1 else ""
            yield Draft(
                code=CODE,
                module=module,
                node=min(nodes, key=module.position),
                severity=SEVERITY,
                message=f"removed NumPy alias -> replacement{count}",
                edits=tuple[Edit, ...](edits),
                group=group_of(program, module),
                quiet=True,
            )


def _names(module: Module) -> Iterator[ReplaceExpression]:
    for node in module.all(ast.Attribute):
        if node.attr not in _BUILT_IN and node.attr not in _OF_NUMPY:
            continue
        if not isinstance(node.ctx, ast.Load) or module.resolve(node) != f"numpy.{node.attr}":
            continue
        if node.attr in _OF_NUMPY:
            yield ReplaceExpression(node, Code(f"{ast.unparse(node.value)}.{_OF_NUMPY[node.attr]}"))
        elif module.names.scope_of[node].lookup(_BUILT_IN[node.attr]) is None:
            yield ReplaceExpression(node, Code(_BUILT_IN[node.attr]))


def _calls(module: Module) -> Iterator[ReplaceExpression]:
    for call in module.all(ast.Call):
        function = call.func
        if not isinstance(function, ast.Attribute):
            continue
        if function.attr == _METHOD and not call.args and not call.keywords:
            if module.resolve(function) is None:
                yield ReplaceExpression(function, Code("{0}.tobytes", (function.value,)))
        elif module.resolve(function) == _FROM_STRING and _is_of_bytes(call):
            yield ReplaceExpression(function, Code("{0}.frombuffer", (function.value,)))
            yield ReplaceExpression(call, Code("{0}.copy()", (call,)))


def _is_of_bytes(call: ast.Call) -> bool:
    """Says whether np.fromstring is given bytes, and arguments that np.frombuffer has too."""
    separator = argument(call, 3, "sep")
    known = all(keyword.arg in ("dtype", "count") for keyword in call.keywords)
    return separator is None and known and bool(call.args) and not has_star_arguments(call)
