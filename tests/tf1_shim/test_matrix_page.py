"""The page of docs/ that says on which TensorFlow versions the legacy runtime passes its tests."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[2] / "scripts" / "report" / "legacy_matrix.py"
_spec = importlib.util.spec_from_file_location("legacy_matrix", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
legacy_matrix = importlib.util.module_from_spec(_spec)
sys.modules["legacy_matrix"] = legacy_matrix  # dataclasses look their module up
_spec.loader.exec_module(legacy_matrix)

# As pytest writes it: a test that passes, fails, is skipped, and a module that cannot be collected.
REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4">
<testcase classname="tests.legacy.test_devices" name="test_one" time="0.1"/>
<testcase classname="tests.legacy.test_devices" name="test_two[a]"><failure message="x"/></testcase>
<testcase classname="tests.legacy.test_names" name="test_three"><skipped message="y"/></testcase>
<testcase classname="" name="tests.legacy.test_broken"><error message="z"/></testcase>
</testsuite></testsuites>
"""
PACKAGES = {
    "python": "3.11.7",
    "tensorflow": "2.16.2",
    "tf-keras": "2.16.0",
    "tensorflow-estimator": "2.15.0",
    "tf-slim": "1.1.0",
    "numpy": "1.26.4",
    "protobuf": "4.25.9",
    "day": "2026-01-02",
    "commit": "abc1234",
}


def test_outcomes_are_read_by_family() -> None:
    assert legacy_matrix.read_report(REPORT) == {
        ("devices", "test_one"): "passed",
        ("devices", "test_two[a]"): "failed",
        ("names", "test_three"): "skipped",
        ("broken", "tests.legacy.test_broken"): "failed",
    }


def test_the_page_counts_and_names_what_failed() -> None:
    cases = legacy_matrix.read_report(REPORT)
    old = legacy_matrix.Run(PACKAGES, cases, 1.0)
    new = legacy_matrix.Run({**PACKAGES, "tensorflow": "2.21.0"}, {("devices", "one"): "passed"}, 2)
    text = legacy_matrix.page([old, new])
    assert "| tests | TensorFlow 2.16.2 | TensorFlow 2.21.0 |" in text
    assert "| devices | 1 / 1 / 0 | 1 / 0 / 0 |" in text
    assert "| **all** | 1 / 2 / 1 | 1 / 0 / 0 |" in text
    assert "- TensorFlow 2.16.2: devices, `test_two[a]`\n" in text
    assert "2.21.0: " not in text
    assert "| commit | abc1234 | abc1234 |" in text
    assert legacy_matrix.page([new]).endswith("Nothing failed.\n")


def test_the_last_run_of_every_version_is_kept(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(legacy_matrix, "BUILD", tmp_path)
    for version in ("2.21.0", "2.9.3"):
        kept = tmp_path / f"{version}.json"
        kept.write_text(json.dumps([{**PACKAGES, "tensorflow": version}, 1.5]))
        kept.with_suffix(".xml").write_text(REPORT)
    runs = legacy_matrix.last_runs()
    assert [run.packages["tensorflow"] for run in runs] == ["2.9.3", "2.21.0"]
    assert runs[0].counts() == {"passed": 1, "failed": 2, "skipped": 1}
