"""``tfmigrate verify`` where there is no TensorFlow 1.x: the legacy runtime runs the original."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from originals import FIXTURES

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE


def verified(
    capsys: pytest.CaptureFixture[str], folder: Path, *options: str
) -> tuple[int, dict[str, Any], str]:
    code = main([f"{folder}/original.py", f"{folder}/migrated.py", "--format", "json", *options])
    said = capsys.readouterr()
    assert said.out, said.err
    return code, json.loads(said.out), said.err


def test_towers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)
    for name in ("original.py", "migrated.py"):  # without the trace that lies beside them
        shutil.copy(FIXTURES / "towers" / "feed_slices_clip" / name, tmp_path)
    options = ["--replicas", "2", "--", "--logdir", "{out}"]
    code, verdict, errors = verified(capsys, tmp_path, *options)
    assert code == 0, verdict
    assert verdict["original"]["legacy"] is True
    assert verdict["migrated"]["legacy"] is False
    assert [rung["verdict"] for rung in verdict["rungs"][:7]] == ["same"] * 7
    assert f"-m tfmigrate_runtime.tf1_shim {tmp_path}/original.py" in errors


def test_the_legacy_runtime_is_taken_when_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(REFERENCE_VARIABLE, "/nowhere/python")
    folder = FIXTURES / "replica_device_setter" / "sync_monitored_hook"
    placeholders = ("job_name", "task_index", "ps_hosts", "worker_hosts")
    flags = [f"--{name}={{{name}}}" for name in placeholders] + ["--logdir={out}"]
    options = ["--legacy", "--cluster", "ps=1,worker=2", "--", *flags]
    code, verdict, _errors = verified(capsys, folder, *options)
    assert code == 0, verdict
    assert verdict["original"]["legacy"] is True
