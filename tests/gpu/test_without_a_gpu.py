"""What `pytest -m gpu` does on GPUs works on CPUs, and its page says what was found."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

from gpu_fixtures import ROOT, compare_on, single_process_fixtures
from recorded_cases import load_case

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
            "date": "2026-01-02",
        }
    },
    "fixtures": {
        "towers/one": {
            "fixture": "towers/one",
            "steps": 30,
            "devices": ["/device:GPU:0", "/device:GPU:1"],
            "migrated": {"loss": 1e-7, "weights": 2e-7, "metrics": 5e-7, "failed": None},
            "stored": {"loss": 3e-2, "weights": 4e-6, "metrics": 0.0, "failed": "step 3 differs"},
        }
    },
    "speed": {
        "dense, 2": {"original": [900, 1000, 1100], "default": [1500] * 3, "native": [2500] * 3}
    },
    "ended": {
        "test_both_programs_train_alike[towers/one]": {"failed": "assert 'step 3'", "seconds": 2},
        "test_both_programs_train_alike[towers/two]": {"failed": "it fell\nover", "seconds": 1},
        "test_all_forms_are_timed[1-dense-2]": {"failed": None, "seconds": 3},
    },
}


def test_both_programs_are_run_and_compared() -> None:
    # What trains by hand-made towers needs nothing of tf.contrib, and GPUs by their names.
    line = compare_on(load_case(ROOT / "fixtures/towers/split_global_batch"), "cpu")
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
    text = gpu_page.page("# On GPUs\n\n## What was found\n\nstale\n", RESULTS)
    assert "NVIDIA X (1 of them), driver 550.1, TensorFlow 2.21.0, Python 3.11; 2026-01-02" in text
    assert "0 of 1 fixtures hold." in text
    figures = "1.0e-07 | 2.0e-07 | 5.0e-07 | 3.0e-02 | 4.0e-06"
    assert f"| towers/one | 30 | GPU:0, GPU:1 | {figures} | no |" in text
    assert "\n- towers/one, TF 1.15's CPU: step 3 differs\n- towers/two: it fell\n" in text
    assert "medians of 3 alternating rounds" in text
    assert "| dense, 2 | 1,000 | 1,500 | 2,500 | 1.50 | 2.50 |" in text
    assert text.startswith("# On GPUs\n\n## What was found\n\nNVIDIA X")
    assert "stale" not in text


def test_the_page_of_a_rehearsal_is_about_no_gpu() -> None:
    machine = {**RESULTS["machine"]["this"], "gpu": "no GPU", "gpus": 0, "driver": None}
    results = {**RESULTS, "machine": {"this": machine}}
    text = gpu_page.page("## What was found\n\n", results)
    assert "A rehearsal on CPUs, no evidence about GPUs, TensorFlow 2.21.0" in text


def test_the_page_has_what_was_found() -> None:
    text = gpu_page.PAGE.read_text("utf-8")
    results = json.loads(gpu_page.RESULTS.read_text("utf-8"))
    assert gpu_page.page(text, results) == text
    fixtures = {f"{folder.parent.name}/{folder.name}" for folder in single_process_fixtures()}
    assert results["fixtures"].keys() <= fixtures  # a fixture that is gone is run again without
