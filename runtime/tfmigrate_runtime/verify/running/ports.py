"""Ports: programs that do not train on TensorFlow, which are recorded without it."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

_TENSORFLOW = {"tensorflow", "tf_keras", "tensorflow_estimator", "tf_slim"}
_OTHERS = {"torch", "jax", "flax", "optax", "equinox", "haiku"}
_RECORD = "tfmigrate_runtime.record"
_BACKEND = "KERAS_BACKEND"


def is_port(script: Path) -> bool:
    """Returns whether a program trains on something other than TensorFlow.

    That is one that imports PyTorch or JAX, Keras on one of them, or ``tfmigrate_runtime.record``,
    and not TensorFlow; modules in its folder that it imports count as its own.
    """
    if is_recorded(script):
        return True
    modules: set[str] = set()
    backends: set[str] = set()
    for tree in _trees(script, set()):
        modules.update(_imported(tree))
        backends.update(_backends(tree))
    packages = {module.partition(".")[0] for module in modules}
    if packages & _TENSORFLOW:
        return False
    chosen = backends or {os.environ.get(_BACKEND, "")}
    uses_keras = "keras" in packages and bool(chosen & {"jax", "torch"})
    return bool(packages & _OTHERS) or uses_keras or _RECORD in modules


def is_recorded(migrated: Path) -> bool:
    """Returns whether a port is given by the trace that it wrote, and not by its program."""
    return migrated.suffix == ".npz"


def _trees(path: Path, seen: set[Path]) -> Iterator[ast.Module]:
    """Yields the syntax trees of a file and of the modules beside it that it imports."""
    if (path := path.resolve()) in seen or not path.is_file():
        return
    seen.add(path)
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    yield tree
    for module in _imported(tree):
        base = path.parent.joinpath(*module.lstrip(".").split("."))
        yield from _trees(base.with_suffix(".py"), seen)
        yield from _trees(base / "__init__.py", seen)


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield module
            yield from (f"{module}.{alias.name}".lstrip(".") for alias in node.names)


def _backends(tree: ast.Module) -> Iterator[str]:
    """Yields what a file puts into ``os.environ["KERAS_BACKEND"]``."""
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Assign, ast.Call)):  # os.environ.setdefault(...)
            continue
        values = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
        if _BACKEND in values:
            yield from (v for v in values if isinstance(v, str) and v != _BACKEND)
