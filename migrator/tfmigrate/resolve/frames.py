"""Where a file calls ``as_matrix``, which pandas 1.0 removed."""

import ast

from tfmigrate.resolve.module import Module, asked_once, imports
from tfmigrate.resolve.origins import origins

_METHOD = "as_matrix"
_ROTATIONS = "scipy.spatial"  # whose Rotation has the method too


@asked_once
def matrices(module: Module) -> list[tuple[ast.Attribute, bool]]:
    """Returns the calls of ``as_matrix``, and whether each is of pandas for sure, without columns.

    Those of objects of other packages, as SciPy's rotations, are left out.
    """
    if not module.mentions(_METHOD):
        return []
    names = [binding.qualified for binding in imports(module)]
    of_pandas = any(name.partition(".")[0] == "pandas" for name in names)
    if not of_pandas or any(name.startswith(_ROTATIONS) for name in names):
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
