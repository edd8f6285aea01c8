"""Runs programs of tests/symbols, as they were written, under the legacy runtime."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SYMBOLS = Path(__file__).parents[1] / "symbols"
sys.path.insert(0, str(SYMBOLS))
import symbol_cases  # noqa: E402 - it lies there

CASES = symbol_cases.CASES
_EAGER = "enable_eager_execution()"  # until the process ends
_LEGACY = (sys.executable, "-m", "tfmigrate_runtime.tf1_shim")


def run_together(cases: Sequence[Path], *, optimizes: bool = True) -> dict[str, Any]:
    """Runs the programs of cases in one process, eager ones in another; returns what they computed.

    Where it ``optimizes``, sessions optimize graphs before they run them, as those of users do.

    Raises:
        RuntimeError: the process failed, and not one of the programs alone.
    """
    programs = {case.name: symbol_cases.original(case) for case in cases}
    results: dict[Path, Any] = {}
    for is_eager in (False, True):
        alike = [p for p in programs.values() if (_EAGER in p.read_text("utf-8")) is is_eager]
        results |= symbol_cases.run(alike, *_LEGACY, optimizes=optimizes)
    return {name: results[path] for name, path in programs.items()}


def differences(case: Path, found: Any) -> list[str]:
    """Returns what is not as TensorFlow 1.15 computed it (expected.json of the case)."""
    expected = json.loads((case / "expected.json").read_text())
    lines: list[str] = symbol_cases.differences(found, expected)
    return lines
