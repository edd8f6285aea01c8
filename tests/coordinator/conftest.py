"""The migrated form of the program in this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.source import SourceFile

ORIGINAL = Path(__file__).parent / "programs" / "asynchronous_original.py"


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the program as ``tfmigrate --coordinator`` leaves it."""
    path = tmp_path_factory.mktemp("migrated") / "program.py"
    file = SourceFile(path, path.name, ORIGINAL.read_text(), "utf-8", bom=False)
    result = migrate([file], Options(coordinator=True))
    assert not [f for f in result.findings if not f.applied], result.findings
    path.write_text(result.texts[path])
    return path
