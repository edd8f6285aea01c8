"""Runs programs of tests/symbols, as they were written, under the legacy runtime."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SYMBOLS = Path(__file__).parents[1] / "symbols"
sys.path.insert(0, str(SYMBOLS))
import symbol_cases  # noqa: E402 - it lies there

CASES = symbol_cases.CASES
_TIME = 900


def run_together(folder: Path, cases: Sequence[Path], *, optimizes: bool = True) -> dict[str, Any]:
    """Runs the programs of cases in one process; returns what they computed, by case.

    Where it ``optimizes``, sessions optimize graphs before they run them, as those of users do.

    Raises:
        subprocess.CalledProcessError: the process failed, and not one of the programs alone.
    """
    target = folder / "results.json"
    programs = {case.name: str(symbol_cases.original(case)) for case in cases}
    runner = str(SYMBOLS / "run_cases.py")
    command = [sys.executable, "-m", "tfmigrate_runtime.tf1_shim", runner, str(target)]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    environment |= {} if optimizes else {"GRAPHS_AS_BUILT": "1"}
    subprocess.run(
        [*command, *programs.values()],
        env=environment,
        capture_output=True,
        timeout=_TIME,
        check=True,
    )
    results = json.loads(target.read_text())
    return {name: results[path] for name, path in programs.items()}


def differences(case: Path, found: Any) -> list[str]:
    """Returns what is not as TensorFlow 1.15 computed it (expected.json of the case)."""
    expected = json.loads((case / "expected.json").read_text())
    lines: list[str] = symbol_cases.differences(found, expected)
    return lines
