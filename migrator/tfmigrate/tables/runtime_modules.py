"""Which modules of the runtime a program needs, by the imports in their texts.

Nothing is imported: the runtime imports tensorflow, which need not be installed here.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tfmigrate.model.reached import reached
from tfmigrate.model.tensorflow_versions import bounds

RUNTIME = "tfmigrate_runtime"
VENDORED = "tfmigrate_vendored"
# What the modules import from elsewhere, as pip calls it; numpy, protobuf and rich come with
# TensorFlow (rich by way of Keras 3).
DISTRIBUTIONS = {
    "tensorflow": f"tensorflow{bounds()}",
    "tf_keras": f"tf-keras{bounds()}",
    "tf_slim": "tf-slim==1.1.0",
    "scipy": "scipy",
}
# Importing it has TensorFlow take Keras 2, without an import of tf_keras.
_CHOOSES_KERAS_2 = f"{RUNTIME}.keras_2"


class RuntimeMissing(Exception):  # noqa: N818 - caught as a description, like UnreadableFile
    """The runtime, or a part of it that a program imports, is not there; one line."""


@dataclass(frozen=True)
class Needs:
    """What a program needs of the runtime.

    Attributes:
        modules: the files, by the dotted names of their modules.
        distributions: what these need from elsewhere, as pip calls it.
    """

    modules: dict[str, Path]
    distributions: tuple[str, ...]


@cache
def runtime_folder() -> Path:
    """Returns the folder of the runtime's package.

    Raises:
        RuntimeMissing: it is not installed.
    """
    spec = importlib.util.find_spec(RUNTIME)  # the top-level package itself imports nothing
    if spec is None or spec.origin is None:
        raise RuntimeMissing(f"{RUNTIME} is not installed here, so nothing can be copied")
    return Path(spec.origin).parent


def needs(imported: Iterable[str]) -> Needs:
    """Returns what a program needs.

    Args:
        imported: the dotted names of the runtime that it imports; ends that are no modules, such
            as classes, are left off.

    Raises:
        RuntimeMissing: the runtime is not installed, or has no such module.
    """
    files = _files()
    others: set[str] = set()

    def needed_by(module: str) -> Iterator[str]:
        for name in imports_of(files[module]):
            if name.partition(".")[0] != RUNTIME:
                others.add(name.partition(".")[0])
            else:
                yield _module(name, files)
        if "." in module:
            yield module.rpartition(".")[0]

    modules = reached([_module(name, files) for name in imported], needed_by)
    needed_files = {module: files[module] for module in modules}
    if _CHOOSES_KERAS_2 in needed_files:
        others.add("tf_keras")
    distributions = tuple(pip for name, pip in DISTRIBUTIONS.items() if name in others)
    return Needs(dict(sorted(needed_files.items())), distributions)


@cache
def imports_of(path: Path) -> tuple[str, ...]:
    """Returns what a file imports where it runs: dotted names, "module.name" for from-imports."""
    return tuple(dict.fromkeys(_imports(ast.parse(path.read_bytes()))))


def imported_names(tree: ast.AST) -> set[str]:
    """Returns the dotted names of the runtime that a program imports, under either name."""
    names = {name for name in _imports(tree) if name.partition(".")[0] in (RUNTIME, VENDORED)}
    return {RUNTIME + name.removeprefix(RUNTIME).removeprefix(VENDORED) for name in names}


def _imports(node: ast.AST) -> Iterator[str]:
    """Yields the dotted names that a tree imports; what only type checkers read is left out."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "importlib.import_module":
        if isinstance(node.args[0], ast.Constant):
            yield str(node.args[0].value)
    elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        for statement in node.orelse:
            yield from _imports(statement)
        return
    for child in ast.iter_child_nodes(node):
        yield from _imports(child)


@cache
def _files() -> dict[str, Path]:
    """Returns the runtime's files by the dotted names of their modules."""
    folder = runtime_folder()
    files_by_module = {}
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        files_by_module[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files_by_module


def _module(name: str, files: dict[str, Path]) -> str:
    """Returns the module that a dotted name is, or is in."""
    while name and name not in files:
        name = name.rpartition(".")[0]
    if not name:
        raise RuntimeMissing(f"{RUNTIME} has no files at {runtime_folder()}")
    return name
