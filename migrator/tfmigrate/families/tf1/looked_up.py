"""Names that a program looks up by their text in packages whose replacement may lack some."""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.renamed_package import CONTRIB
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
        if canonical(package) in _LOADED_LATE and not is_guarded(module, node):
            shown = ast.unparse(node)
            yield node, f"{shown} is empty until a name of the package is used", _by_getattr(shown)
    for call in module.all(ast.Call):
        package = _package_of_getattr(module, call)
        if (lacking := _lacking(package)) and not is_guarded(module, call):
            others = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
            target = next(p.target for p in PACKAGES if p.source == package)
            yield (
                call,
                f"{target} lacks {', '.join(lacking[:_SHOWN])}{others}, which "
                f"{ast.unparse(call)} may look up",
                "if the program needs none of these, add an ignore comment",
            )


def _by_getattr(shown: str) -> str:
    package = shown.removesuffix(".__dict__").removeprefix("vars(").removesuffix(")")
    return f"use getattr({package}, name), hasattr({package}, name) or dir({package})"


def _tables(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Yields the places that ask for the dictionary of a package, with the package."""
    for node in module.all(ast.Attribute):
        # What is missing from tf.contrib is reported as such.
        if node.attr == "__dict__" and (name := module.resolve(node.value)) and CONTRIB not in name:
            yield node, name
    for call in module.all(ast.Call):
        is_vars = isinstance(call.func, ast.Name) and call.func.id == "vars" and len(call.args) == 1
        if is_vars and (name := module.resolve(call.args[0])):
            yield call, name


def _package_of_getattr(module: Module, call: ast.Call) -> str:
    """Returns the package that a call looks a computed name up in; "" for other calls."""
    is_getattr = isinstance(call.func, ast.Name) and call.func.id == "getattr"
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
