"""Runs the originals of fixtures under the legacy runtime and compares them with their traces."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from recorded_cases import Case, load_case, program_of

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import Verdict, climb
from tfmigrate_runtime.verify.running.run_program import run_recorded
from tfmigrate_runtime.verify.traces.recording import load_recording

FIXTURES = Path(__file__).parents[2] / "fixtures"
TIMEOUT_SECONDS = 300.0
# The original against itself, on another TensorFlow: sums over threads are added in another order.
TOLERANCE = Tolerance(loss=1e-5, variable=1e-5, metric=1e-5)


def programs_of(family: str) -> list[Path]:
    """Returns the folders of a family's fixtures."""
    return sorted(path.parent for path in FIXTURES.glob(f"{family}/*/case.toml"))


def verdict_of(
    case: Case, folder: Path, python: str | None = None, metric: float = 1e-5
) -> Verdict:
    """Runs a fixture's original under the legacy runtime; returns how it compares to its trace."""
    new = folder / "legacy.npz"
    tolerance = replace(case.tolerance, loss=1e-5, variable=1e-5, metric=metric)
    program = program_of(case, case.original, python or sys.executable)
    program = replace(program, legacy=True)
    run_recorded(program, new, TIMEOUT_SECONDS)
    return climb(load_recording(case.trace), load_recording(new), tolerance)


def assert_trains_as_on_tensorflow_1(folder: Path, scratch: Path, metric: float = 1e-5) -> None:
    """Runs the original of the fixture in ``folder`` and asserts that every rung holds."""
    verdict = verdict_of(load_case(folder), scratch, metric=metric)
    assert verdict.failed is None, verdict.failed
