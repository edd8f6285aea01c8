"""A program that was migrated before, read as the TensorFlow 1.x program that it came from.

Names of tfmigrate_runtime and of compat.v1 mean what those of TensorFlow 1.x did, so that whoever
took the default form first gets the same result as from the original.
"""

import ast

from tfmigrate.families.tf1.mode_calls import mode_calls
from tfmigrate.model.edits import ChangeImport
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.rulekit.basics import Module, Program
from tfmigrate.tables.runtime_api import replaced
from tfmigrate.tables.runtime_modules import RUNTIME, VENDORED
from tfmigrate_keras.conversion import Conversion, literal, refuse

_KERAS_2 = "TF_USE_LEGACY_KERAS"
_COMPAT = "tensorflow.compat.v1"
_GRAPHS = (
    "tensorflow.disable_v2_behavior", "tensorflow.disable_eager_execution",
    "tensorflow.enable_resource_variables", "tensorflow.disable_resource_variables",
    "tensorflow.disable_v2_tensorshape", "tensorflow.disable_control_flow_v2",
)  # fmt: skip


def as_earlier_form(program: Program) -> Program:
    """Returns a program whose names of the runtime and of compat.v1 are those of TensorFlow 1.x."""
    imported = {b.qualified for module in program.modules for b in module.import_bindings}
    if any(_meaning(name) != name for name in imported):
        return program.read_as(_meaning)
    return program


def _meaning(qualified: str) -> str:
    return "tensorflow" if qualified == _COMPAT else replaced(qualified)


def convert_earlier_form(plan: Conversion) -> None:
    """Removes what only graphs need, and imports TensorFlow itself instead of compat.v1.

    Raises:
        Refusal: Keras has nothing for a part of the runtime.
    """
    for module in plan.program.modules:
        for node in mode_calls(module, *_GRAPHS):
            statement = module.statement(node)
            if isinstance(statement, ast.Expr) and module.parent(node) is statement.value:
                plan.remove(module, statement)
        for statement in module.all(ast.Expr):
            call = statement.value
            arguments = call.args if isinstance(call, ast.Call) else []
            if (
                called(module, call) == "os.environ.setdefault"
                and literal(arguments[0]) == _KERAS_2
            ):
                plan.remove(module, statement)
        for binding in module.import_bindings:
            if binding.qualified.partition(".")[0] == RUNTIME:
                refuse(binding.statement, f"Keras has nothing for `{binding.qualified}`")
            _check_meaning(module, binding)
            if binding.qualified == "tensorflow" and _imported(binding) == _COMPAT:
                name = binding.alias.asname or binding.alias.name
                edit = ChangeImport(binding.statement, binding.alias, _import(name))
                plan.edits[module].append(edit)
        _check_stars(module)


def _check_meaning(module: Module, binding: ImportBinding) -> None:
    """Refuses a name of the runtime that may be something else, too: its import is removed."""
    if not is_of_runtime(binding):
        return
    for node in module.all(ast.Name):
        if module.names.root_import(node) is binding and module.resolve(node) is None:
            refuse(node, f"`{node.id}` is imported and bound to something else, too")


def is_of_runtime(binding: ImportBinding) -> bool:
    """Returns whether an import takes something from the runtime, of which no use is left."""
    return _imported(binding).partition(".")[0] in (RUNTIME, VENDORED)


def _imported(binding: ImportBinding) -> str:
    statement, name = binding.statement, binding.alias.name
    return f"{statement.module}.{name}" if isinstance(statement, ast.ImportFrom) else name


def _import(name: str) -> str:
    return "import tensorflow" + (f" as {name}" if name != "tensorflow" else "")


def _check_stars(module: Module) -> None:
    for statement in module.all(ast.ImportFrom):
        root = (statement.module or "").partition(".")[0]
        if root in (RUNTIME, VENDORED) and statement.names[0].name == "*":
            refuse(statement, f"all names of `{statement.module}` are imported")
