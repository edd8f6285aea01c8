"""An array of pairs whose lengths may differ is made by the runtime.

What it does:
    Replaces `np.array(pairs)` and `np.asarray(pairs)` where the pairs are a `zip(...)` or a list of
    it, or come from a caller that passes one. `np.array_split`, `np.split` and
    `np.random.permutation` are given such an array.

Why:
    Functions that draw batches often begin with `data = np.array(data)`, and are called with
    `list(zip(x_train, y_train))`. Where a text and its label have different lengths, NumPy made an
    array of Python objects. NumPy 1.24 raises ValueError unless it is asked to.

Example:
    Before::

        import numpy as np
        import tensorflow as tf

        def batches(data, size):
          data = np.array(data)
          return [data[i:i + size] for i in range(0, len(data), size)]

        def main(texts, labels, train_op, places):
          with tf.Session() as sess:
            for batch in batches(list(zip(texts, labels)), 64):
              sess.run(train_op, dict(zip(places, zip(*batch))))

    After::

        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import arrays

        def batches(data, size):
          data = arrays.array(data)
          return [data[i:i + size] for i in range(0, len(data), size)]

        def main(texts, labels, train_op, places):
          with tf.Session() as sess:
            for batch in batches(list(zip(texts, labels)), 64):
              sess.run(train_op, dict(zip(places, zip(*batch))))

What is left to you:
    Nothing.

Safety:
    Safe: what has a common shape becomes the same array; only what NumPy would refuse becomes an
    array of objects, as before.
"""

import ast

from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.model.edits import Code, Edit, ReplaceExpression
from tfmigrate.resolve.calls import called_builtin
from tfmigrate.resolve.origins import origins
from tfmigrate.resolve.settled_values import passed_by_callers
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.tables.runtime_api import ARRAYS

SEVERITY = Severity.FIXED

_FUNCTIONS = ("numpy.array", "numpy.asarray")
# These make an array of their first argument.
_CONVERTING = ("numpy.array_split", "numpy.random.permutation", "numpy.split")


def check(program: Program) -> Drafts:
    """Yields one draft for every file of a training program with such arrays."""
    for module in migrated(program, "numpy"):
        calls = [
            c
            for c in module.calls_of(*_FUNCTIONS, *_CONVERTING)
            if _is_of_pairs(program, module, c)
        ]
        if not calls:
            continue
        name = runtime_name(module, ARRAYS)
        edits: list[Edit] = [_edit(module, call, name) for call in calls]
        message = "arrays of pairs of any lengths -> tfmigrate_runtime.arrays"
        edits += runtime_import(module, ARRAYS, *(call.func for call in calls))
        yield file_draft(program, module, calls, edits, message)


def _edit(module: Module, call: ast.Call, name: str) -> Edit:
    function = str(module.resolve(call.func))
    if function in _CONVERTING:
        return ReplaceExpression(call.args[0], Code(f"{name}.array({{0}})", (call.args[0],)))
    return ReplaceExpression(call.func, Code(f"{name}.{function.removeprefix('numpy.')}"))


def _is_of_pairs(program: Program, module: Module, call: ast.Call) -> bool:
    """Returns whether a call makes an array of a zip, without being told its type."""
    if not call.args or isinstance(call.args[0], ast.Starred):
        return False
    if module.resolve(call.func) in _FUNCTIONS and (len(call.args) > 1 or call.keywords):
        return False
    values = call.args[0]
    nodes = [getattr(binding, "node", None) for binding in module.bindings(values)]
    return _is_zip(module, values) or any(
        _is_zip(caller, passed_value)
        for parameter in nodes
        if isinstance(parameter, ast.arg)
        for caller, passed_value in passed_by_callers(program.modules, module, parameter)
    )


def _is_zip(module: Module, node: ast.expr) -> bool:
    """Returns whether an expression may be a zip, or a list of one."""
    waiting, seen = [node], set[ast.expr]()  # seen: `x = sorted(x)`
    while waiting:
        for value in origins(module, latest := waiting.pop()) or (latest,):
            if (name := called_builtin(module, value)) == "zip":
                return True
            if value in seen:
                continue
            seen.add(value)
            if isinstance(value, ast.Call) and name in ("list", "sorted"):
                waiting += value.args[:1]
            elif isinstance(value, ast.Subscript):  # `data["train"]` of a dict that is written out
                held = origins(module, value.value) or ()
                waiting += [v for of in held if isinstance(of, ast.Dict) for v in of.values]
    return False
