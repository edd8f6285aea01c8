"""Every symbol case computes on the installed TensorFlow what it computed on TensorFlow 1.15."""

from __future__ import annotations

import json
import os
import sys

import pytest
from symbol_cases import CASES, differences, original, run, run_together


def test_what_was_recorded() -> None:
    """All cases are one test: they share the few processes that import TensorFlow."""
    results = run_together([case / "after.py" for case in CASES], sys.executable)
    different = {}
    for case in CASES:
        expected = json.loads((case / "expected.json").read_text())
        found = differences(results[case / "after.py"], expected)
        if found:
            different[case.name] = "\n".join(found)
    assert not different, "\n".join(f"{name}: {text}" for name, text in different.items())


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
