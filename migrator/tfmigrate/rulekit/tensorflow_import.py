"""The name of TensorFlow in a file, for code that a rule adds."""

from __future__ import annotations

from tfmigrate.model.edits import Edit
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.names import ImportBinding
from tfmigrate.rulekit.runtime_import import added_import


def tensorflow_name(module: Module) -> str:
    """Returns the name of TensorFlow at module level: the imported one, or else ``tf``."""
    found = _bound_name(module)
    if found:
        return found
    return "tf" if "tf" not in module.names.all_bound_names() else "tensorflow_v1"


def tensorflow_import(module: Module) -> tuple[Edit, ...]:
    """Returns the edits that import TensorFlow, none if the module already does."""
    if _bound_name(module):
        return ()
    return (added_import(module, f"import tensorflow.compat.v1 as {tensorflow_name(module)}"),)


def _bound_name(module: Module) -> str | None:
    top = module.names.scope_of[module.tree]
    for binding in imports(module):
        if binding.qualified in ("tensorflow", "tensorflow.compat.v1"):
            name = binding.alias.asname or binding.alias.name.split(".")[0]
            in_module = module.function(binding.statement) is module.tree
            if in_module and binding in top.bindings.get(name, []):
                return name
    return None


def tensorflow_v1_name(module: Module) -> str:
    """Returns the prefix of TensorFlow 1.x names, also in files that import TensorFlow 2."""
    name = tensorflow_name(module)
    bindings = module.names.bindings_of(name.partition(".")[0])
    imported = [b.qualified for b in bindings if isinstance(b, ImportBinding)]
    return f"{name}.compat.v1" if "tensorflow" in imported else name
