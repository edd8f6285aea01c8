"""Every fixture's migrated program trains as TensorFlow 1.15.5 trained the original."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixture_cases import CASES
from recorded_cases import Case, load_case

from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import Trace, at_common_steps, load_trace

TIMEOUT_SECONDS = 300.0


def record_migrated(case: Case, target: Path) -> Trace:
    program = Program(
        case.migrated,
        case.arguments,
        replicas=case.replicas,
        checkpoint=target.with_suffix(".checkpoint"),
        restore=case.trace,
    )
    run_recorded(program, target, TIMEOUT_SECONDS, initial_values=case.trace)
    return load_trace(target)


def test_there_are_fixtures_of_every_idiom() -> None:
    assert len(CASES) >= 8


def test_migrated_trains_like_the_original(folder: Path, tmp_path: Path) -> None:
    case = load_case(folder)
    original = load_trace(case.trace)
    migrated = record_migrated(case, tmp_path / "migrated.npz")
    verdict = climb(original, migrated, case.tolerance)
    failed = verdict.failed
    assert failed is None, failed
    # The original's checkpoint is restored, too.
    assert [rung.verdict for rung in verdict.rungs[:7]] == ["same"] * 7
    # The tolerances of the fixtures are those that were promised: 1e-5 over 100 steps, and for
    # moving averages of batch normalisation 5e-3 (semantics.md, 1.11).
    assert len(migrated.loss) == case.steps >= 100
    assert np.abs(migrated.loss - original.loss).max() <= 1e-5
    old, new = at_common_steps(original, migrated)
    assert len(old.variable_step) >= 10
    for name, values in old.variables.items():
        limit = 5e-3 if "moving_" in name else 1e-5
        assert np.abs(new.variables[name] - values).max() <= limit, name
    assert original.evaluations
    for metrics, found in zip(original.evaluations, migrated.evaluations, strict=True):
        for metric, value in metrics.items():
            assert found[metric] == pytest.approx(value, abs=1e-5), metric


def test_golden_trace_is_of_a_real_tensorflow_1(folder: Path) -> None:
    case = load_case(folder)
    trace = load_trace(case.trace)
    assert trace.meta["tensorflow"].startswith("1.15")
    assert trace.meta["replicas"] == 2
    assert case.trace.stat().st_size < 512 * 1024
    # It learns something: otherwise equal losses would not say much.
    assert trace.loss[-10:].mean() < 0.95 * trace.loss[:10].mean()


@pytest.mark.reference
def test_original_still_trains_like_its_trace(
    folder: Path, tmp_path: Path, reference_python: str
) -> None:
    case = load_case(folder)
    program = Program(
        case.original,
        case.arguments,
        reference_python,
        replicas=case.replicas,
    )
    run_recorded(program, tmp_path / "again.npz", TIMEOUT_SECONDS)
    verdict = climb(load_trace(case.trace), load_trace(tmp_path / "again.npz"), case.tolerance)
    assert verdict.failed is None, verdict.failed
