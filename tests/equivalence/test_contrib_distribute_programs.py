"""Every migrated program of fixtures/contrib_distribute trains as it did on TensorFlow 1.15.5."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixture_cases import FIXTURES
from recorded_cases import load_case

from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import load_trace

TIMEOUT_SECONDS = 180.0
# What was promised: float32, 40 steps, sums in another order in some kernels.
TOLERANCE = 1e-5
CASES = sorted(path.parent for path in FIXTURES.glob("contrib_distribute/*/case.toml"))


def test_there_are_programs() -> None:
    assert len(CASES) >= 5


@pytest.mark.parametrize("program", CASES, ids=lambda path: path.name)
def test_migrated_trains_like_the_original(program: Path, tmp_path: Path) -> None:
    case = load_case(program)
    original = load_trace(case.trace)
    migrated_program = Program(
        case.migrated,
        case.arguments,
        replicas=case.replicas,
        checkpoint=tmp_path / "migrated.checkpoint",
        restore=case.trace,
    )
    target = tmp_path / "migrated.npz"
    run_recorded(migrated_program, target, TIMEOUT_SECONDS, initial_values=case.trace)
    migrated = load_trace(target)
    verdict = climb(original, migrated, case.tolerance)
    assert verdict.failed is None, verdict.failed
    assert len(migrated.loss) == case.steps == 40
    assert np.abs(migrated.loss - original.loss).max() <= TOLERANCE
    assert migrated.variables.keys() == original.variables.keys()
    for name, values in original.variables.items():
        assert np.abs(migrated.variables[name] - values).max() <= TOLERANCE, name
    for old, new in zip(original.evaluations, migrated.evaluations, strict=True):
        for metric, value in old.items():
            assert new[metric] == pytest.approx(value, abs=TOLERANCE), metric


@pytest.mark.parametrize("program", CASES, ids=lambda path: path.name)
def test_golden_trace_is_of_a_real_tensorflow_1(program: Path) -> None:
    case = load_case(program)
    trace = load_trace(case.trace)
    assert trace.meta["tensorflow"].startswith("1.15")
    assert trace.replicas_built == case.replicas
    assert case.trace.stat().st_size < 512 * 1024
    # It learns something: otherwise equal losses would not say much.
    assert trace.loss[-10:].mean() < 0.9 * trace.loss[:10].mean()


@pytest.mark.reference
@pytest.mark.parametrize("program", CASES, ids=lambda path: path.name)
def test_original_still_trains_like_its_trace(
    program: Path, tmp_path: Path, reference_python: str
) -> None:
    case = load_case(program)
    original = Program(case.original, case.arguments, reference_python, replicas=case.replicas)
    run_recorded(original, tmp_path / "again.npz", TIMEOUT_SECONDS)
    verdict = climb(load_trace(case.trace), load_trace(tmp_path / "again.npz"), case.tolerance)
    assert verdict.failed is None, verdict.failed
