"""What trains under the legacy runtime is not what migrated programs train with."""

from __future__ import annotations

import ast
from pathlib import Path

import tfmigrate_runtime

RUNTIME = Path(tfmigrate_runtime.__file__).parent
OWN = "tfmigrate_runtime."
SHIM = RUNTIME / "tf1_shim"
OF_MIGRATED_PROGRAMS = (
    "train/",
    "between_graph/",
    "coordinator/",
    "distribute/",
    "estimator/",
    "graphs/",
    "towers/",
    "learn/",
)
# They choose a parameter server of a variable, hold the arguments of Experiments and of their
# monitors, name an export or predict features; a monitor calls the steps that others make.
SHARED = (
    "train/__init__.py",
    "train/device_setter.py",
    "train/experiment_fields.py",
    "train/export_folders.py",
    "train/export_strategy.py",
    "train/forwarded_features.py",
    "train/monitor.py",
    "train/passed_on.py",
    "train/validation_fields.py",
)


def imported_by(path: Path) -> set[str]:
    """Returns the modules of the runtime that a file imports, and names imported from them."""
    if path.suffix == ".txt":
        return {word for word in path.read_text("utf-8").split() if word.startswith(OWN)}
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)  # by importlib, and in tables
    return {name for name in found if name.startswith(OWN)}


def inside(path: Path) -> str:
    return path.relative_to(RUNTIME).as_posix()


def file_of(module: str) -> Path | None:
    base = RUNTIME.parent.joinpath(*module.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def reached_from(start: list[Path]) -> dict[Path, Path | None]:
    """Returns the files of the runtime that are imported from some, and by which file."""
    by: dict[Path, Path | None] = dict.fromkeys(start)
    left = list(start)
    while left:
        path = left.pop()
        for name in imported_by(path):
            # With a module, Python imports the packages that it is in.
            parts = name.split(".")
            for end in range(2, len(parts) + 1):
                found = file_of(".".join(parts[:end]))
                if found is not None and found not in by:
                    by[found] = path
                    left.append(found)
    return by


def test_the_search_sees_what_is_imported() -> None:
    by = reached_from([RUNTIME / "learn" / "__init__.py"])
    assert any(inside(path).startswith("estimator/") for path in by)


def test_nothing_of_migrated_programs_is_reached() -> None:
    by = reached_from(sorted([*SHIM.rglob("*.py"), *SHIM.glob("data/*.txt")]))
    assert by[RUNTIME / "crf.py"] == SHIM / "data" / "contrib_names.txt"
    shared = {
        inside(path): inside(importer) if importer else ""
        for path, importer in by.items()
        if inside(path).startswith(OF_MIGRATED_PROGRAMS) and inside(path) not in SHARED
    }
    assert shared == {}
