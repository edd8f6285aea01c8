"""Programs with symbols of TensorFlow 1.x compute what they computed there, unmodified.

The numbers of TensorFlow 1.15 are in expected.json of each case (scripts/record_symbols.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from symbol_originals import CASES, NOT_EMULATED, differences, run_together


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_together(tmp_path_factory.mktemp("symbols"))


EMULATED = [case for case in CASES if case.name not in NOT_EMULATED]


@pytest.mark.parametrize("case", EMULATED, ids=[case.name for case in EMULATED])
def test_computes_what_it_computed_on_tensorflow_1(case: Path, found: dict[str, Any]) -> None:
    assert differences(case, found[case.name]) == []


@pytest.mark.parametrize("name", NOT_EMULATED)
def test_what_is_not_emulated_is_said(name: str, found: dict[str, Any]) -> None:
    assert "not emulated by the legacy runtime" in found[name]["traceback"]
