"""Programs that write where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from verify_support import PROGRAMS, record

from tfmigrate_runtime.verify.running import fresh_folder as fresh
from tfmigrate_runtime.verify.running.fresh_folder import FolderTooLargeError, fresh_folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("data/words.txt", "logs/old/checkpoint", "venv/pyvenv.cfg", ".git/HEAD"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (tmp_path / "large").mkdir()
    (root / "elsewhere").symlink_to(tmp_path / "large")
    return root


def test_what_is_read_is_there_and_what_is_written_stays_away(
    project: Path, tmp_path: Path
) -> None:
    folder = fresh_folder(project, tmp_path / "copy" / "project")
    assert (folder / "data" / "words.txt").read_text() == "data/words.txt"
    assert (folder / "venv").is_symlink()
    assert (folder / "elsewhere").is_symlink()
    assert not (folder / ".git").exists()
    (folder / "logs" / "new").mkdir()
    (folder / "logs" / "new" / "checkpoint").write_text("new")
    assert not (project / "logs" / "new").exists()


def test_a_home_folder_is_no_program(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fresh, "_MOST_FILES", 1)
    with pytest.raises(FolderTooLargeError, match="run verify in the program's folder"):
        fresh_folder(project, tmp_path / "copy")


@pytest.mark.usefixtures("tensorflow_installed")
def test_a_program_with_a_folder_of_its_own_starts_anew(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    old = project / "model" / "checkpoint"
    old.parent.mkdir()
    trace = record(
        PROGRAMS / "tiny.py",
        Path("trace.npz"),
        "--model_dir",
        "model/new",
        "--steps",
        "2",
        in_fresh_folder=True,
    )
    assert trace.step.tolist() == [1, 2]
    assert list(old.parent.iterdir()) == []
