"""The migrator makes of every symbol case what is stored, and nothing more of that."""

from __future__ import annotations

from pathlib import Path

import pytest
from symbol_cases import CASES, migrated

from tfmigrate.model.findings import Severity


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_becomes_what_is_stored(case: Path) -> None:
    result = migrated(case)
    left = [f for f in result.findings if not f.applied and f.severity is not Severity.KEPT]
    assert [f"{f.line}: {f.code} {f.message}" for f in left] == []
    before = (case / "before.py").read_text()
    after = (case / "after.py").read_text()
    assert result.texts.get(case / "before.py", before) == after
    assert migrated(case, after).texts == {}
