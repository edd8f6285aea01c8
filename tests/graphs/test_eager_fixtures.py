"""Fixtures of sessions, towers and clusters, made eager: they train as on TensorFlow 1.15.5."""

from __future__ import annotations

from pathlib import Path

import pytest
from converted import eager
from recorded_cases import load_case

from tfmigrate_runtime.verify.cli import main

FIXTURES = Path(__file__).parents[2] / "fixtures"
FOLDERS = [
    folder.parent
    for kind in ("towers", "replica_device_setter")
    for folder in sorted((FIXTURES / kind).glob("*/case.toml"))
]
# One of each kind is run always: towers, a session, workers that take turns, workers in step.
REPRESENTATIVES = {
    "split_global_batch",
    "one_machine_monitored",
    "async_model_class",
    "sync_monitored_hook",
}


@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(f, id=f.name, marks=() if f.name in REPRESENTATIVES else pytest.mark.long)
        for f in FOLDERS
    ],
)
def test_trains_like_the_original(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = load_case(folder)
    migrated = tmp_path / "migrated.py"
    migrated.write_text(eager(case.original.read_text("utf-8")), "utf-8")
    options = ["--every", str(case.every)] + ["--turns"] * case.turns
    if case.cluster is not None:
        jobs = [f"{job}={count}" for job, count in case.cluster.jobs.items()]
        options += ["--cluster", ",".join(jobs)]
    code = main([str(case.original), str(migrated), "--trace", str(case.trace), *options])
    assert code == 0, "".join(capsys.readouterr())
