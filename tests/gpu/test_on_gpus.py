"""Originals under the legacy runtime and migrated programs train alike on real GPUs.

One GPU is split where a fixture has several replicas. What is found is written to
build/gpu_results.json; scripts/pages/gpu_page.py makes gpu.md of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from gpu_fixtures import FORMS, compare_on, examples_per_second, single_process_fixtures
from gpu_results import Findings
from recorded_cases import load_case


@pytest.mark.gpu
@pytest.mark.parametrize(
    "folder", single_process_fixtures(), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_both_programs_train_alike(folder: Path, kind: str, findings: Findings) -> None:
    line = compare_on(load_case(folder), kind)
    findings.keep("fixtures", str(line["fixture"]), line)
    assert line["migrated"]["failed"] is None
    assert line["stored"]["failed"] is None


@pytest.mark.gpu
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("model", ["dense", "conv"])
@pytest.mark.parametrize("turn", [1, 2, 3])
def test_all_forms_are_timed(
    turn: int, model: str, count: int, kind: str, findings: Findings, tmp_path: Path
) -> None:
    rates = examples_per_second(model, kind, count, tmp_path)
    findings.append("speed", f"{model}, {count}", rates)
    assert rates.keys() == FORMS.keys()
