"""Which files use the replicate_model_fn family, TensorFlow's own or a copy of it."""

import ast

from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.tables.family_names import FAMILY, LOCAL_NAMES, OPTIMIZER, WRAPPER


def is_family_member(module: Module) -> bool:
    """Returns whether a module uses the wrapper or the optimizer, TensorFlow's own or a copy."""
    if not module.mentions(*LOCAL_NAMES):
        return False
    return bool(module.uses_of(WRAPPER, OPTIMIZER) or own_copies(module))


def own_copies(module: Module) -> list[ast.stmt]:
    """Returns the definitions and imports of a project's own replicate_model_fn.py."""
    statements: list[ast.stmt] = [
        node
        for node in module.tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in LOCAL_NAMES
    ]
    for binding in imports(module):
        last = binding.qualified.rpartition(".")[2]
        foreign = not (binding.qualified.lstrip(".") + ".").startswith(("tensorflow.", "tfmigrate"))
        if foreign and last in LOCAL_NAMES:
            statements.append(binding.statement)
    return sorted(dict.fromkeys(statements), key=module.position)


def serves_only_the_family(module: Module, binding: ImportBinding) -> bool:
    """Returns whether an import of tf.contrib is used for the wrapper and the optimizer alone."""
    if not (binding.qualified + ".").startswith("tensorflow.contrib."):
        return False
    if isinstance(binding.statement, ast.Import) and not binding.alias.asname:
        return False  # `import tensorflow.contrib.estimator` binds tensorflow itself
    used = module.uses_through(binding)
    family = (FAMILY, WRAPPER, OPTIMIZER)
    return bool(used) and all(u.qualified in family for u in used)
