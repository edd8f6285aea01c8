"""Every migrated program of fixtures/experiment trains, evaluates and exports as its trace says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixture_cases import FIXTURES
from long_tail import one_in
from recorded_cases import load_case

from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import Trace, load_trace

TIMEOUT_SECONDS = 300.0
CASES = sorted(path.parent for path in FIXTURES.glob("experiment/*/case.toml"))


def test_there_are_programs() -> None:
    assert len(CASES) >= 20


@pytest.mark.parametrize("experiment", one_in(2, CASES), ids=lambda path: path.name)
def test_migrated_trains_evaluates_and_exports_like_the_original(
    experiment: Path, tmp_path: Path
) -> None:
    case = load_case(experiment)
    original = load_trace(case.trace)
    program = Program(
        case.migrated,
        case.arguments,
        replicas=case.replicas,
        checkpoint=tmp_path / "migrated.checkpoint",
        restore=case.trace,
    )
    run_recorded(program, tmp_path / "migrated.npz", TIMEOUT_SECONDS, initial_values=case.trace)
    migrated = load_trace(tmp_path / "migrated.npz")
    verdict = climb(original, migrated, case.tolerance)
    assert verdict.failed is None, verdict.failed
    assert [rung.verdict for rung in verdict.rungs[:7]] == ["same"] * 7
    # What was promised, for sums of losses as for means: float32, up to 40 steps.
    assert np.abs(migrated.loss - original.loss).max() <= 1e-5
    assert _places(migrated) == _places(original)


def _places(trace: Trace) -> list[tuple[str, int]]:
    """Returns what was called at which global step."""
    return [(call["kind"], call.get("step", call.get("after"))) for call in trace.calls or ()]
