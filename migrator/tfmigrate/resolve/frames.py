"""Where a file calls ``as_matrix``, which pandas 1.0 removed."""

from __future__ import annotations

import ast

from tfmigrate.resolve.module import Module, asked_once, imports
from tfmigrate.resolve.origins import origins

_METHOD = "as_matrix"


@asked_once
def matrices(module: Module) -> list[tuple[ast.Attribute, bool]]:
    """Returns the calls of ``as_matrix``, and whether each is of pandas for sure, without columns.

    Those of objects of other packages, as SciPy's rotations, are left out.
    """
    if not module.mentions(_METHOD):
        return []
    roots = {binding.qualified.partition(".")[0] for binding in imports(module)}
    if "pandas" not in roots or module.mentions("Rotation"):
        return []
    return [
        (function, not call.args and not call.keywords and _is_frame(module, function.value, set()))
        for call in module.all(ast.Call)
        if isinstance(function := call.func, ast.Attribute) and function.attr == _METHOD
    ]


def _is_frame(module: Module, node: ast.expr, seen: set[ast.expr]) -> bool:
    """Returns whether a value is made by pandas, or by methods of such a value."""
    values = origins(module, node) or ()
    return bool(values) and all(_makes_frame(module, value, seen) for value in values)


def _makes_frame(module: Module, value: ast.expr, seen: set[ast.expr]) -> bool:
    if value in seen:  # frame = frame.dropna()
        return True
    seen.add(value)
    if isinstance(value, ast.Call):
        if (module.resolve(value.func) or "").startswith("pandas."):
            return True
        return isinstance(value.func, ast.Attribute) and _is_frame(module, value.func.value, seen)
    if isinstance(value, (ast.Subscript, ast.Attribute)):
        return _is_frame(module, value.value, seen)
    return False
