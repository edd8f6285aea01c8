"""The name of TensorFlow in a file, for code that a rule adds.

A file may have several names for it, of TensorFlow 1.x, of compat.v1 or of TensorFlow 2, some of
them in one function only. Added code uses one that means TensorFlow 1.x at its place.
"""

import ast
from collections.abc import Sequence

from tfmigrate.model.edits import Edit
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import AssignBinding, Binding, ImportBinding, is_absent, root_of
from tfmigrate.rulekit.runtime_import import added_import, imports_locally, is_local

_V1 = "tensorflow.compat.v1"


def tensorflow_name(module: Module, node: ast.AST | None = None) -> str:
    """Returns the name that means TensorFlow 1.x in the migrated file.

    Args:
        node: where it is used; None for module level.
    """
    if bound_name := _bound_name(module, node):
        return bound_name
    if node is not None and is_local(module, node):
        is_free = module.names.scope_of[node].lookup("tf") is None
    else:
        is_free = "tf" not in module.names.all_bound_names()
    return "tf" if is_free else "tensorflow_v1"


def tensorflow_import(module: Module, *nodes: ast.AST) -> tuple[Edit, ...]:
    """Returns the edits that import TensorFlow, none if the module already does.

    Args:
        nodes: where its name is used; none for module level.
    """
    places: Sequence[ast.AST | None] = nodes or (None,)
    if all(_bound_name(module, node) for node in places):
        return ()
    missing = [node for node in places if not _bound_name(module, node)]
    added = {node: f"import {_V1} as {tensorflow_name(module, node)}" for node in missing}
    return tuple(dict.fromkeys(added_import(module, code, node) for node, code in added.items()))


def import_of_definition(module: Module) -> tuple[str, str, tuple[Edit, ...]]:
    """Returns the name of TensorFlow in a function that is added to a module, and its import.

    Where only functions import TensorFlow, the import is a line for below its docstring.
    Elsewhere it is edits.
    """
    if imports_locally(module):
        return "tf", f"\n\timport {_V1} as tf", ()
    return tensorflow_name(module), "", tensorflow_import(module)


def is_tensorflow(binding: Binding) -> bool:
    """Returns whether a binding is an import that means TensorFlow 1.x once it is migrated.

    ``import tensorflow.python.platform`` binds the name ``tensorflow`` too, and stays.
    """
    if not isinstance(binding, ImportBinding):
        return False
    if isinstance(binding.statement, ast.Import) and not binding.alias.asname:
        name = binding.alias.name
        return name == "tensorflow" or (name + ".").startswith("tensorflow.contrib.")
    return binding.qualified in ("tensorflow", _V1)


def _bound_name(module: Module, node: ast.AST | None) -> str | None:
    """Returns a name that is TensorFlow at a place, that of its chain's root if it can be."""
    scope = module.names.scope_of[node or module.tree]
    root = root_of(node) if node else None
    if isinstance(root, ast.Name):
        variable = scope.lookup(root.id)
        if module.names.given(root) in ("tensorflow", _V1):
            return root.id
        if variable and _all_tensorflow(variable[1]):
            return root.id
    around = scope
    while True:
        names = [n for n, bound in around.bindings.items() if _is_given(module, bound)]
        names.sort(key=lambda name: not _is_v1(around.bindings[name]))
        for name in names:
            if (seen := scope.lookup(name)) is not None and seen[0] is around:
                return name
        if around.parent is None:
            names = [n for n, means in module.star_names().items() if means in ("tensorflow", _V1)]
            return next((name for name in names if scope.lookup(name) is None), None)
        around = around.parent


def _is_given(module: Module, bindings: Sequence[Binding]) -> bool:
    """Returns whether imports bind a name to TensorFlow 1.x, or to that of an own module."""
    own = [module.from_own(b, "") for b in bindings if isinstance(b, ImportBinding)]
    if len(own) == len(bindings) == 1 and own[0] in ("tensorflow", _V1):
        return True
    return _all_tensorflow(bindings)


def _all_tensorflow(bindings: Sequence[Binding]) -> bool:
    """Returns whether all imports of a name mean TensorFlow 1.x; ``None`` where one failed."""
    present_bindings = [
        b for b in bindings if not (isinstance(b, AssignBinding) and is_absent(b.value))
    ]
    return bool(present_bindings) and all(map(is_tensorflow, present_bindings))


def _is_v1(bindings: Sequence[Binding]) -> bool:
    imported = [b for b in bindings if isinstance(b, ImportBinding)]
    return bool(imported) and all(b.qualified == _V1 for b in imported)


def tensorflow_v1_name(module: Module, node: ast.expr | None = None) -> str:
    """Returns the prefix of TensorFlow 1.x names, also in files that import TensorFlow 2."""
    name = tensorflow_name(module, node)
    bindings = module.names.bindings_of(name.partition(".")[0])
    imported = [b.qualified for b in bindings if isinstance(b, ImportBinding)]
    return f"{name}.compat.v1" if "tensorflow" in imported else name
