"""Unused imports of tf.contrib, which fail on TensorFlow 2."""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.core_names import kept_import
from tfmigrate.families.tf1.is_tf1 import imported_name
from tfmigrate.families.tf1.migrated_files import is_migrated
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.program import Program
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.tables.runtime_api import is_offered

_CONTRIB = "tensorflow.contrib"


def unused_imports(program: Program, module: Module) -> Iterator[tuple[ImportBinding, str]]:
    """Yields imports of tf.contrib whose name the file never uses and no rule migrates."""
    reached = is_migrated(program, module)
    for binding in imports(module):
        name = imported_name(binding)
        is_known = reached and (is_offered(name) or kept_import(module, binding) is not None)
        contrib = (name + ".").startswith(_CONTRIB + ".")
        if contrib and not module.uses_through(binding) and not is_known:
            yield binding, name


def is_removable(program: Program, module: Module, binding: ImportBinding) -> bool:
    """Returns whether an unused import can be removed: no file uses its name."""
    if isinstance(binding.statement, ast.Import) and not binding.alias.asname:
        return False  # it binds the name tensorflow
    if module.source.path.name == "__init__.py" or is_guarded(module, binding.statement):
        return False
    bound = binding.alias.asname or binding.alias.name
    if bound in _known_names(module, binding):
        return False
    others = (m for m in program.mentioning(bound) if m is not module)
    return not any(bound in _reached_names(other) for other in others)


def _known_names(module: Module, binding: ImportBinding) -> set[str]:
    """Returns the names that a file may read from an import, and its strings.

    Strings name imports in ``__all__`` and ``globals()[...]``.
    """
    scopes = module.names.scope_of
    read = {
        node.id
        for node in module.all(ast.Name)
        if (scope_entry := scopes[node].lookup(node.id)) is None or binding in scope_entry[1]
    }
    texts = {n.value for n in module.all(ast.Constant)}
    return read | {text for text in texts if isinstance(text, str)}


def _reached_names(module: Module) -> set[str]:
    """Returns the names that a file may take from other files of its program."""
    reached = {n.attr for n in module.walk(module.tree) if isinstance(n, ast.Attribute)}
    for node in module.all(ast.ImportFrom):
        if not (node.module or "").startswith("tensorflow"):
            reached |= {alias.name for alias in node.names}
    return reached
