"""Every fixture's migrated form is what tfmigrate writes, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfmigrate.engine import Migration, Options, migrate
from tfmigrate.source import read_source

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = sorted(path.parent for path in FIXTURES.glob("*/*/case.toml"))


def files_of(case: Path, form: str) -> list[Path]:
    single = case / f"{form}.py"
    return [single] if single.exists() else sorted((case / form).glob("*.py"))


def migrated(paths: list[Path]) -> tuple[Migration, dict[str, bytes]]:
    sources = [read_source(path, path.name) for path in paths]
    result = migrate(sources, Options())
    return result, {s.path.name: s.encode(result.texts.get(s.path, s.text)) for s in sources}


def test_there_are_fixtures() -> None:
    assert len(CASES) >= 8


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_original_becomes_migrated(case: Path) -> None:
    result, texts = migrated(files_of(case, "original"))
    expected = {path.name: path.read_bytes() for path in files_of(case, "migrated")}
    names = {"original.py": "migrated.py"}
    assert {names.get(name, name): text for name, text in texts.items()} == expected
    assert [f for f in result.findings if not f.applied] == []
    assert {f.code for f in result.findings} >= {"TFM201", "TFM202", "TFM601", "TFM701"}


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_migrated_stays(case: Path) -> None:
    result, _ = migrated(files_of(case, "migrated"))
    assert result.texts == {}
    assert result.findings == []
