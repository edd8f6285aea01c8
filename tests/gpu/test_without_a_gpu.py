"""What `pytest -m gpu` does on GPUs works on CPUs, and its page says what was found."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from gpu_fixtures import ROOT, compare_on, single_process_fixtures

from tfmigrate_runtime.verify.case import load_case

_spec = importlib.util.spec_from_file_location(
    "gpu_page", ROOT / "scripts" / "pages" / "gpu_page.py"
)
assert _spec is not None
assert _spec.loader is not None
gpu_page = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(gpu_page)

RESULTS: dict[str, Any] = {
    "machine": {
        "this": {
            "gpu": "NVIDIA X",
            "gpus": 1,
            "driver": "550.1",
            "tensorflow": "2.21.0",
            "python": "3.11",
        }
    },
    "fixtures": {
        "towers/one": {
            "fixture": "towers/one",
            "steps": 30,
            "devices": ["/device:GPU:0", "/device:GPU:1"],
            "migrated": {"loss": 1e-7, "weights": 2e-7, "failed": None},
            "stored": {"loss": 3e-2, "weights": 4e-6, "failed": "step 3 differs"},
        }
    },
    "speed": {"dense": {"original": 1000.0, "migrated": 1500.0}},
}


def test_both_programs_are_run_and_compared(tmp_path: Path) -> None:
    # What trains by hand-made towers needs nothing of tf.contrib, and GPUs by their names.
    line = compare_on(load_case(ROOT / "fixtures/towers/split_global_batch"), "cpu", tmp_path)
    assert line["devices"] == ["/device:CPU:0", "/device:CPU:1"]
    for figures in (line["migrated"], line["stored"]):
        assert isinstance(figures, dict)
        assert figures["failed"] is None
        assert figures["loss"] <= 1e-5  # the same processor: as close as the fixture's own test
        assert figures["weights"] <= 1e-5


def test_all_fixtures_of_one_process_are_compared() -> None:
    families = {folder.parent.name for folder in single_process_fixtures()}
    assert families >= {"replicate_model_fn", "towers", "experiment", "contrib_distribute"}


def test_the_page_says_what_was_found() -> None:
    text = gpu_page.page("# On GPUs\n\n## What was found\n\nstale\n", RESULTS, "2026-01-02")
    assert "NVIDIA X (1 of them), driver 550.1, TensorFlow 2.21.0, Python 3.11; 2026-01-02" in text
    assert "0 of 1 fixtures hold." in text
    assert "| towers/one | 30 | GPU:0, GPU:1 | 1.0e-07 | 2.0e-07 | 3.0e-02 | 4.0e-06 | no |" in text
    assert "- towers/one, TF 1.15's CPU: step 3 differs" in text
    assert "| dense | 1,000 | 1,500 | 1.50 |" in text
    assert text.startswith("# On GPUs\n\n## What was found\n\nNVIDIA X")
    assert "stale" not in text


def test_a_page_without_findings_says_so() -> None:
    text = gpu_page.page(gpu_page.PAGE.read_text("utf-8"), None, "2026-01-02")
    assert text.endswith("nothing about GPUs.\n")
    assert "2026-01-02" not in text
