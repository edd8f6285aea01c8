"""Programs with symbols of TensorFlow 1.x compute what they computed there, unmodified.

The numbers of TensorFlow 1.15 are in expected.json of each case (scripts/record/record_symbols.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from long_tail import long, one_in, run_here
from symbol_originals import CASES, differences, run_together

_COSTLY = "rnn_cells"
# Estimators of tf.contrib.learn whose lines no other test of `make test` reaches.
_ALONE = ("learn_linear", "learn_wide_and_deep")


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What the cases of this session compute; with all of them, each night, in optimized graphs."""
    cases = run_here(request, "case")
    return run_together(cases, optimizes=len(cases) == len(CASES))


# The gradients of hundreds of steps are computed by `make test-all`.
@pytest.mark.parametrize(
    "case",
    [
        *one_in(4, [c for c in CASES if c.name not in (_COSTLY, *_ALONE)]),
        *[c for c in CASES if c.name in _ALONE],
        *long([c for c in CASES if c.name == _COSTLY]),
    ],
    ids=lambda case: case.name,
)
def test_computes_what_it_computed_on_tensorflow_1(case: Path, found: dict[str, Any]) -> None:
    assert differences(case, found[case.name]) == []
