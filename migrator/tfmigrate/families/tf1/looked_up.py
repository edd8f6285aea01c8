"""Names that a program looks up by their text in packages whose replacement may lack some."""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.renamed_package import CONTRIB
from tfmigrate.model.findings import first_of
from tfmigrate.resolve.calls import called_builtin
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import Module
from tfmigrate.tables import symbol_table
from tfmigrate.tables.runtime_api import PACKAGES

# TensorFlow 2 and the runtime load their names at the first use: until then they have no others.
_LOADED_LATE = (
    "tensorflow.contrib.layers", "tensorflow.contrib.metrics", "tensorflow.contrib.slim",
    "tensorflow.contrib.training", "tensorflow.keras", "tensorflow.layers",
    "tensorflow.nn.rnn_cell",
)  # fmt: skip
_SHOWN = 4


def looked_up(module: Module) -> Iterator[tuple[ast.AST, str, str]]:
    """Yields each place that looks up what may be missing, what was found, and what to do."""
    for node, package in _tables(module):
        if canonical(module.resolve(package) or "") in _LOADED_LATE and not is_guarded(
            module, node
        ):
            shown = ast.unparse(package)
            yield (
                node,
                f"{ast.unparse(node)} is empty until a name of the package is used",
                f"use getattr({shown}, name), hasattr({shown}, name) or dir({shown})",
            )
    for call in module.all(ast.Call):
        source = _package_of_getattr(module, call)
        if (lacking := _lacking(source)) and not is_guarded(module, call):
            target = next(p.target for p in PACKAGES if p.source == source)
            yield (
                call,
                f"{target} lacks {first_of(lacking, _SHOWN)}, which "
                f"{ast.unparse(call)} may look up",
                "if the program needs none of these, add an ignore comment",
            )


def _tables(module: Module) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yields the expressions that are the dictionary of a package, with the package's."""
    for node in module.all(ast.Attribute):
        # What is missing from tf.contrib is reported as such.
        if node.attr == "__dict__" and CONTRIB not in (module.resolve(node.value) or ""):
            yield node, node.value
    for call in module.all(ast.Call):
        if called_builtin(module, call) == "vars" and len(call.args) == 1:
            yield call, call.args[0]


def _package_of_getattr(module: Module, call: ast.Call) -> str:
    """Returns the package that a call looks a computed name up in; "" for other calls."""
    is_getattr = called_builtin(module, call) == "getattr"
    if not is_getattr or len(call.args) != 2 or isinstance(call.args[1], ast.Constant):
        return ""
    return canonical(module.resolve(call.args[0]) or "")


def _lacking(package: str) -> list[str]:
    """Returns the public names of a package that the one of the runtime does not have."""
    replacing = [p for p in PACKAGES if p.source == package]
    names = _public_names(package) if replacing else ()
    return sorted(name for name in names if not any(p.offers(name) for p in replacing))


def _public_names(package: str) -> Iterator[str]:
    prefix = f"{package.removeprefix('tensorflow.')}."
    for name in symbol_table.places():
        below = name.removeprefix(prefix)
        if below != name and "." not in below and symbol_table.is_found(name, symbol_table.OLD):
            yield below
