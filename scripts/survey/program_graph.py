"""Which files of a repository import which, and so which programs take Keras 2."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path, PurePosixPath

_VARIABLE = "TF_USE_LEGACY_KERAS"
_RUNTIME = Path(__file__).parents[2] / "runtime"


def with_keras_2(trees: Mapping[str, ast.Module], graph: Mapping[str, set[str]]) -> set[str]:
    """Returns the files that belong to a program that chooses Keras 2."""
    choosing = {file for file, tree in trees.items() if _chooses(tree)}
    found: set[str] = set()
    for file in trees:
        around = reachable(file, graph)
        if around & choosing:
            found |= around
    return found


def _chooses(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value == _VARIABLE:
            return True
        if isinstance(node, ast.Import) and any(_sets(alias.name) for alias in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            below = (f"{node.module}.{alias.name}" for alias in node.names)
            if _sets(node.module) or any(map(_sets, below)):
                return True
    return False


@cache
def _sets(module: str) -> bool:
    """Returns whether the import of a module of the runtime chooses Keras 2."""
    graph = _runtime()
    parts = module.split(".")
    names = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
    return any(name in graph and reachable(name, graph) & _setters() for name in names)


@cache
def _setters() -> frozenset[str]:
    return frozenset(
        name
        for name, tree in _runtime_trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "os.environ.setdefault"
        and ("KERAS" in ast.unparse(node) or "VARIABLE" in ast.unparse(node))
    )


@cache
def _runtime_trees() -> dict[str, ast.Module]:
    found = {}
    for path in (_RUNTIME / "tfmigrate_runtime").rglob("*.py"):
        parts = path.relative_to(_RUNTIME).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


@cache
def _runtime() -> dict[str, set[str]]:
    """Returns what each module of the runtime imports at its top, the packages around included."""
    trees = _runtime_trees()
    graph: dict[str, set[str]] = {}
    for name, tree in trees.items():
        found = set()
        for node in tree.body:
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        found |= {part.rpartition(".")[0] for part in (*found, name)}
        graph[name] = found & trees.keys()
    return graph


def imports_of(trees: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """Returns which of some files each of them imports."""
    by_end: dict[str, list[str]] = defaultdict(list)
    for file in trees:
        parts = PurePosixPath(file).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        for start in range(len(parts)):
            by_end[".".join(parts[start:])].append(file)
    return {file: set(_imported(file, tree, by_end)) for file, tree in trees.items()}


def _imported(file: str, tree: ast.Module, by_end: Mapping[str, list[str]]) -> Iterable[str]:
    folders = PurePosixPath(file).parent.parts
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(folders[: len(folders) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        for name in names:
            candidates = by_end.get(name, [])
            if candidates:
                yield max(candidates, key=lambda other: _shared(folders, other))


def _shared(folders: tuple[str, ...], other: str) -> tuple[int, int]:
    parts = PurePosixPath(other).parent.parts
    same = next((i for i, (a, b) in enumerate(zip(folders, parts, strict=False)) if a != b), None)
    return (min(len(folders), len(parts)) if same is None else same, -len(parts))


def reachable(file: str, graph: Mapping[str, set[str]]) -> set[str]:
    """Returns a file and what it imports, directly and through others."""
    seen, waiting = {file}, [file]
    while waiting:
        for other in graph.get(waiting.pop(), set()) - seen:
            seen.add(other)
            waiting.append(other)
    return seen
