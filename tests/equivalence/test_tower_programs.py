"""Every migrated program of fixtures/towers trains as TensorFlow 1.15.5 trained its towers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixture_cases import FIXTURES
from recorded_cases import load_case

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import load_trace

TIMEOUT_SECONDS = 120.0
# What was promised: float32, up to 30 steps, sums in another order in some kernels.
TOLERANCE = 1e-5
CASES = sorted(path.parent for path in FIXTURES.glob("towers/*/case.toml"))


def test_there_are_programs() -> None:
    assert len(CASES) >= 4


@pytest.mark.parametrize("towers", CASES, ids=lambda path: path.name)
def test_migrated_trains_like_the_original(towers: Path, tmp_path: Path) -> None:
    case = load_case(towers)
    original = load_trace(case.trace)
    program = Program(
        case.migrated,
        case.arguments,
        replicas=case.replicas,
        checkpoint=tmp_path / "migrated.checkpoint",
        restore=case.trace,
        follow=case.trace,
    )
    run_recorded(program, tmp_path / "migrated.npz", TIMEOUT_SECONDS, initial_values=case.trace)
    migrated = load_trace(tmp_path / "migrated.npz")
    verdict = climb(original, migrated, Tolerance())
    assert verdict.failed is None, verdict.failed
    assert original.tower_loss is not None
    assert migrated.tower_loss is not None
    assert original.tower_loss.shape == (case.steps, case.replicas)
    assert np.abs(migrated.tower_loss - original.tower_loss).max() <= TOLERANCE
    assert migrated.variables.keys() == original.variables.keys()
    for name, values in original.variables.items():
        if name in original.other_order:
            continue  # towers update an average in any order
        assert np.abs(migrated.variables[name] - values).max() <= TOLERANCE, name
    assert migrated.meta["placement"] == original.meta["placement"]


@pytest.mark.parametrize("towers", CASES, ids=lambda path: path.name)
def test_golden_trace_is_of_a_real_tensorflow_1(towers: Path) -> None:
    case = load_case(towers)
    trace = load_trace(case.trace)
    assert trace.meta["tensorflow"].startswith("1.15")
    assert trace.meta["towers"] == case.replicas == 2
    assert case.trace.stat().st_size < 512 * 1024
    # It learns something, and the towers differ: otherwise equal losses would not say much.
    assert trace.loss[-5:].mean() < 0.95 * trace.loss[:5].mean()
    assert trace.tower_loss is not None
    assert np.abs(trace.tower_loss[:, 0] - trace.tower_loss[:, 1]).max() > 1e-2


@pytest.mark.reference
@pytest.mark.parametrize("towers", CASES, ids=lambda path: path.name)
def test_original_still_trains_like_its_trace(
    towers: Path, tmp_path: Path, reference_python: str
) -> None:
    case = load_case(towers)
    program = Program(
        case.original,
        case.arguments,
        reference_python,
        replicas=case.replicas,
    )
    run_recorded(program, tmp_path / "again.npz", TIMEOUT_SECONDS)
    verdict = climb(load_trace(case.trace), load_trace(tmp_path / "again.npz"), case.tolerance)
    assert verdict.failed is None, verdict.failed
