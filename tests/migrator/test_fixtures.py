"""Every fixture: migrate(original) is migrated, byte for byte, and that is the end of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfmigrate.engine.migration import Migration, migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = sorted(path.parent for path in FIXTURES.glob("*/*/case.toml"))


def programs(case: Path, version: str) -> list[Path]:
    """Returns the files of a case's ``original`` or ``migrated`` program."""
    single = case / f"{version}.py"
    return [single] if single.exists() else sorted((case / version).rglob("*.py"))


def migration(paths: list[Path], root: Path) -> Migration:
    sources = [decode_source(read_bytes(path), path, str(path.relative_to(root))) for path in paths]
    return migrate(sources, Options(), [root])


def test_there_are_cases() -> None:
    assert len(CASES) >= 29
    assert any((case / "original").is_dir() for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_original_becomes_migrated(case: Path) -> None:
    originals = programs(case, "original")
    result = migration(originals, case)
    after = {}
    for path in originals:
        source = decode_source(read_bytes(path), path, path.name)
        after[path] = source.encode(result.texts.get(path, source.text))
    expected = programs(case, "migrated")
    names = [path.relative_to(case / "original") for path in originals if path.parent != case]
    assert names == [p.relative_to(case / "migrated") for p in expected if p.parent != case]
    assert list(after.values()) == [path.read_bytes() for path in expected]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_nothing_is_left(case: Path) -> None:
    told = migration(programs(case, "original"), case).findings
    assert told
    assert [f for f in told if f.severity.value != "fixed" or not f.applied] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_migrated_is_left_alone(case: Path) -> None:
    result = migration(programs(case, "migrated"), case)
    assert result.texts == {}
    assert result.findings == []
