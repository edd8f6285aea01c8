"""Where a file itself chooses the modes of TensorFlow."""

import ast
from collections.abc import Iterator

from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.guards import depends_on_version
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.resolve.starts import main_blocks

# What enables eager execution in TensorFlow 1.x.
EAGER = (
    "tensorflow.enable_eager_execution",
    "tensorflow.enable_v2_behavior",
    "tensorflow.contrib.eager.enable_eager_execution",
)
SWITCHES = ("tensorflow.disable_v2_behavior", "tensorflow.disable_eager_execution", *EAGER)


def mode_calls(module: Module, *switches: str) -> list[ast.AST]:
    """Returns the nodes that name a mode-choosing function, by default one of ``SWITCHES``."""
    wanted = switches or SWITCHES
    nodes: list[ast.AST] = [use.node for use in module.uses_of(*wanted)]
    return nodes or [node for node, name in _below_imports(module) if name in wanted]


def eager_by_option(module: Module) -> list[ast.AST]:
    """Returns the mode calls that switch eager execution on by an ``if`` of the program's own.

    Such a program runs in TensorFlow 1.x's graph mode otherwise.
    """
    starts = main_blocks(module)
    return [
        node
        for node in mode_calls(module, *EAGER)
        if any(isinstance(a, ast.If) and a not in starts for a in module.ancestors(node))
        and not depends_on_version(module, node)
    ]


@asked_once
def _below_imports(module: Module) -> list[tuple[ast.AST, str]]:
    """Returns what a file calls by a name that it imports and binds to something else, too."""
    return [
        (call.func, f"{name}.{call.func.attr}")
        for statement in module.tree.body
        if isinstance(statement, ast.Expr) and isinstance(call := statement.value, ast.Call)
        if isinstance(call.func, ast.Attribute)
        for name in _imported_as(module, call.func.value)
    ]


def _imported_as(module: Module, node: ast.expr) -> Iterator[str]:
    if not isinstance(node, ast.Name):
        return
    for binding in module.names.scope_of[module.tree].bindings.get(node.id, ()):
        if isinstance(binding, ImportBinding) and binding.statement.lineno < node.lineno:
            yield canonical(binding.qualified)
