"""The script that counts false alarms goes on where it stopped, and counts what it was told."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "report" / "false_alarms.py"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("false_alarms", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "false_alarms", module)
    spec.loader.exec_module(module)
    return module


def written(script: ModuleType, log: Path) -> list[object]:
    """Writes two runs, and a third as far as it came."""
    run = script.Run("towers", "split", "migrated", 1, "", 0, 1e-7, 0.25, 5.0, 3.0)
    runs = [run, replace(run, number=2, alarm="loss: at step 3", code=1, loss=1.0)]
    lines = [json.dumps(asdict(run)) for run in runs]
    log.write_text("\n".join([*lines, lines[0][:-9]]))
    return runs


def test_alarms_and_greatest_differences_are_counted(script: ModuleType, tmp_path: Path) -> None:
    written(script, tmp_path / "log")
    lines = list(script.table(script.done_before(tmp_path / "log")))
    assert lines[2] == "| towers | migrated | 1 | 2 | 1 | 1.0e+00 | 0.25 |"
    assert lines[-1] == "Exit codes: 1 times 0, 1 times 1."


def test_runs_of_the_log_are_not_made_again(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    made = []

    def run_once(case: object, legacy: bool, python: str, number: int) -> object:
        made.append(number)
        return script.Run("towers", "split", "migrated", number, "", 0, 0.0, 0.0, 1.0, 1.0)

    monkeypatch.setattr(script, "run_once", run_once)
    monkeypatch.setattr(script, "load_case", lambda folder: folder)
    monkeypatch.setattr(script, "FIXTURES", tmp_path)
    case = tmp_path / "towers" / "split" / "case.toml"
    case.parent.mkdir(parents=True)
    case.touch()
    options = argparse.Namespace(log=log, legacy=False, select="*/*", runs=2)
    script.make_runs(options, "python")
    script.make_runs(argparse.Namespace(**{**vars(options), "runs": 3}), "python")
    assert made == [1, 2, 3]
    assert [run.number for run in script.done_before(log)] == [1, 2, 3]
    log.write_text(log.read_text()[:-9])
    script.make_runs(argparse.Namespace(**{**vars(options), "runs": 3}), "python")
    assert [run.number for run in script.done_before(log)] == [1, 2, 3]


def test_the_cores_are_left_alone_afterwards(script: ModuleType) -> None:
    started = []
    original = script.subprocess.Popen

    class Noted(original):  # type: ignore[misc, valid-type]
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    script.subprocess.Popen = Noted
    try:
        with script.busy_cores(True):
            assert started and all(process.poll() is None for process in started)
    finally:
        script.subprocess.Popen = original
    assert all(process.returncode is not None for process in started)
