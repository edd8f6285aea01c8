"""What --target estimator makes of fixtures trains on TensorFlow 2.15 as the originals on 1.15."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from recorded_cases import load_case

from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import load_trace

FIXTURES = Path(__file__).parents[2] / "fixtures"
FORMS = sorted(FIXTURES.glob("*/*/migrated_estimator*"))
# Clusters are run by scripts/report/verification_table.py.
FOLDERS = [form.parent for form in FORMS if "replica_device_setter" not in form.parts]
TIMEOUT_SECONDS = 300.0


@pytest.mark.parametrize("case_folder", FOLDERS, ids=lambda path: path.name)
def test_trains_like_the_original(case_folder: Path, tmp_path: Path, estimator_python: str) -> None:
    case = load_case(case_folder)
    program = Program(
        case.migrated_estimator,
        case.arguments,
        estimator_python,
        replicas=case.replicas,
        checkpoint=tmp_path / "migrated.checkpoint",
        restore=case.trace,
    )
    run_recorded(program, tmp_path / "migrated.npz", TIMEOUT_SECONDS, initial_values=case.trace)
    original, migrated = load_trace(case.trace), load_trace(tmp_path / "migrated.npz")
    assert migrated.meta["tensorflow"].startswith("2.15")
    verdict = climb(original, migrated, case.tolerance)
    assert verdict.failed is None, verdict.failed
    # As promised for the runtime: 1e-5 (verification.md).
    assert np.abs(migrated.loss - original.loss).max() <= 1e-5
