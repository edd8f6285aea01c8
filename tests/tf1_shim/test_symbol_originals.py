"""Programs with symbols of TensorFlow 1.x compute what they computed there, unmodified.

The numbers of TensorFlow 1.15 are in expected.json of each case (scripts/record/record_symbols.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from long_tail import one_in
from symbol_originals import CASES, differences, run_together


@pytest.fixture(scope="module")
def found(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What the cases of this session compute."""
    of_here = [item for item in request.session.items if item.path == request.path]
    cases = [item.callspec.params["case"] for item in of_here]  # type: ignore[attr-defined]
    return run_together(tmp_path_factory.mktemp("symbols"), cases)


@pytest.mark.parametrize("case", one_in(4, CASES), ids=[case.name for case in CASES])
def test_computes_what_it_computed_on_tensorflow_1(case: Path, found: dict[str, Any]) -> None:
    assert differences(case, found[case.name]) == []
