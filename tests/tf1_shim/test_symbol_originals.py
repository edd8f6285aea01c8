"""Programs with symbols of TensorFlow 1.x compute what they computed there, unmodified.

The numbers of TensorFlow 1.15 are in expected.json of each case (scripts/record/record_symbols.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from symbol_originals import CASES, differences, run_together


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_together(tmp_path_factory.mktemp("symbols"))


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_computes_what_it_computed_on_tensorflow_1(case: Path, found: dict[str, Any]) -> None:
    assert differences(case, found[case.name]) == []
