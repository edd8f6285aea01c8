"""Every symbol case computes on the installed TensorFlow what it computed on TensorFlow 1.15."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from long_tail import all_but, run_here
from symbol_cases import CASES, Results, differences, original, run, run_together

# Gradients of hundreds of steps; heads and linear models, which tests/runtime compares, too.
_COSTLY = ("estimator_heads",)


@pytest.fixture(scope="module")
def computed(request: pytest.FixtureRequest) -> dict[Path, Results]:
    """What the cases of this session compute: they share the few processes of TensorFlow."""
    cases = run_here(request, "case")
    programs = [case / "after.py" for case in cases]
    # With all cases, each night, graphs are optimized as they are for users.
    return run_together(programs, sys.executable, optimizes=len(cases) == len(CASES))


@pytest.mark.parametrize("case", all_but(_COSTLY, CASES), ids=[case.name for case in CASES])
def test_computes_what_it_computed_on_tensorflow_1(
    case: Path, computed: dict[Path, Results]
) -> None:
    expected = json.loads((case / "expected.json").read_text())
    assert differences(computed[case / "after.py"], expected) == []


@pytest.mark.reference
def test_what_tensorflow_1_computes() -> None:
    python = os.environ.get("TFMIGRATE_REFERENCE_PYTHON")
    if not python:
        pytest.skip("needs a TensorFlow 1.x interpreter: set TFMIGRATE_REFERENCE_PYTHON")
    results = run([original(case) for case in CASES], python)
    different = {}
    for case in CASES:
        expected = json.loads((case / "expected.json").read_text())
        found = differences(results[original(case)], expected)
        if found:
            different[case.name] = "\n".join(found)
    assert not different, "\n".join(f"{name}: {text}" for name, text in different.items())
