"""``tfmigrate verify PROGRAM``: migrated in a copy, or compared with its own past."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE

CASE = Path(__file__).parents[2] / "fixtures" / "towers" / "feed_slices_clip"


def commit(folder: Path, message: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for arguments in (["add", "-A"], [*who, "commit", "-qm", message]):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True)


def test_a_program_and_what_becomes_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)
    shutil.copy(CASE / "original.py", tmp_path / "train.py")
    shutil.copy(CASE / "trace.npz", tmp_path)
    before = (tmp_path / "train.py").read_bytes()
    assert main([str(tmp_path / "train.py"), "--format", "json"]) == 0
    said = capsys.readouterr()
    assert f"migrating a copy of {tmp_path}" in said.err
    assert "TFM401" in said.err
    verdict = json.loads(said.out)
    assert verdict["same"] is True
    assert verdict["migrated"]["name"] == f"{tmp_path / 'train.py'}, migrated"
    assert (tmp_path / "train.py").read_bytes() == before


def test_a_program_and_its_past(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A learning rate that was changed with the migration is found."""
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    shutil.copy(CASE / "original.py", tmp_path / "train.py")
    shutil.copy(CASE / "trace.npz", tmp_path)
    commit(tmp_path, "before")
    text = (CASE / "migrated.py").read_text()
    assert "learning_rate = 0.05" in text
    wrong = text.replace("learning_rate = 0.05", "learning_rate = 0.051")
    (tmp_path / "train.py").write_text(wrong)
    commit(tmp_path, "after")
    options = ["--git", "HEAD~1", "--format", "json"]
    assert main([str(tmp_path / "train.py"), *options]) == 1
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["original"]["tensorflow"] == "1.15.5"
    assert verdict["original"]["name"].startswith("train.py at ")
    # Each step begins where the original's did: the losses are equal, and the update is longer.
    assert "Rung 5" in verdict["conclusion"]
