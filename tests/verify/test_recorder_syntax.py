"""The recorder runs inside the user's interpreter: Python 3.6 must be able to read it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tfmigrate_runtime import verify

HERE = Path(verify.__file__).parent
RECORDER = HERE / "recorder"
FILES = sorted([*RECORDER.rglob("*.py"), HERE / "shared.py", HERE / "map_file.py"])
OLDEST = (3, 6)
# What Python 3.6 has of the modules that the recorder's files may take names from.
NEW_SINCE = {
    "removeprefix",
    "removesuffix",
    "capture_output",
    "missing_ok",
    "is_relative_to",
    "cached_property",
    "nullcontext",
    "ParamSpec",
    "Protocol",
    "TypedDict",
    "Literal",
    "Final",
    "dataclasses",
    "zoneinfo",
    "graphlib",
    "tomllib",
}


def refused_by_3_6(text: str) -> list[str]:
    """Returns why Python 3.6 would not run a text, as far as can be seen without one."""
    try:
        # Newer syntax is refused; best effort of ast: what it misses, the reference tests see.
        tree = ast.parse(text, feature_version=OLDEST)
    except SyntaxError as error:
        return [str(error)]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            found += [name.name for name in node.names if name.name == "annotations"]
        names = {getattr(node, field, None) for field in ("attr", "id", "arg", "name", "module")}
        found += [name for name in names if isinstance(name, str) and name in NEW_SINCE]
    return found


def test_all_files_are_looked_at() -> None:
    assert set(FILES) >= {
        RECORDER / "record.py",
        RECORDER / "all_sessions.py",
        RECORDER / "program" / "device_choice.py",
        RECORDER / "sessions" / "cluster_worker.py",
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_python_3_6_can_read_the_recorder(path: Path) -> None:
    assert refused_by_3_6(path.read_text()) == []


@pytest.mark.parametrize(
    "text",
    [
        "from __future__ import annotations",
        "if (n := 3): pass",
        "def f(a, /): pass",
        "match 1:\n  case 1: pass",
        "'a'.removesuffix('a')",
        "from functools import cached_property",
        "run(capture_output=True)",
        "import dataclasses",
    ],
)
def test_what_is_newer_is_seen(text: str) -> None:
    assert refused_by_3_6(text)
