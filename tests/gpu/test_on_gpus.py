"""Originals under the legacy runtime and migrated programs train alike on real GPUs.

One GPU is split where a fixture has several replicas. What is found is written to
build/gpu_results.json; scripts/pages/gpu_page.py makes gpu.md of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from gpu_fixtures import compare_on, examples_per_second, keep, single_process_fixtures

from tfmigrate_runtime.verify.case import load_case


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize(
    "folder", single_process_fixtures(), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_both_programs_train_alike(folder: Path, tmp_path: Path) -> None:
    line = compare_on(load_case(folder), "gpu", tmp_path)
    keep("fixtures", str(line["fixture"]), line)
    assert line["migrated"]["failed"] is None
    assert line["stored"]["failed"] is None


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("model", ["dense", "conv"])
def test_both_programs_are_timed(model: str) -> None:
    rates = examples_per_second(model, "gpu", rounds=5)
    keep("speed", model, rates)
    assert rates.keys() == {"original", "migrated"}
