from __future__ import annotations

import stat
from pathlib import Path

import pytest
from test_cli import ORIGINAL, UNRELATED, put, usage_error

from tfmigrate import cli


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_originals_stay_and_the_other_files_are_copied(here: Path) -> None:
    put(here / "old" / "pkg" / "train.py")
    put(here / "old" / "util.py", UNRELATED)
    (here / "old" / "pkg" / "train.py").chmod(0o755)
    assert cli.main(["-q", "--output-dir", "made/new", "old"]) == 0
    assert (here / "old" / "pkg" / "train.py").read_text() == ORIGINAL
    new = here / "made" / "new"
    assert "MirroredStrategy" in (new / "pkg" / "train.py").read_text()
    assert (new / "util.py").read_text() == UNRELATED
    assert stat.S_IMODE((new / "pkg" / "train.py").stat().st_mode) == 0o755


def test_one_file_goes_into_the_folder(here: Path) -> None:
    put(here / "old" / "train.py")
    put(here / "old" / "util.py", UNRELATED)
    assert cli.main(["-q", "--output-dir", "new", "old/train.py"]) == 0
    assert [path.name for path in (here / "new").iterdir()] == ["train.py"]
    # A read-only original is not an obstacle.
    (here / "old" / "train.py").chmod(0o444)
    assert cli.main(["-q", "--output-dir", "newer", "old/train.py"]) == 0


def test_no_file_is_overwritten(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "old" / "train.py")
    put(here / "new" / "train.py", UNRELATED)
    complaint = usage_error(["--output-dir", "new", "old"], capsys)
    assert "new is not an empty folder; give a new one" in complaint
    assert (here / "new" / "train.py").read_text() == UNRELATED
    complaint = usage_error(["--output-dir", "old/new", "old"], capsys)
    assert "old/new is in old; give a folder outside of it" in complaint
    complaint = usage_error(["--output-dir", "x", "old", "new"], capsys)
    assert "--output-dir takes one path" in complaint
    complaint = usage_error(["--output-dir", "x", "--check", "old"], capsys)
    assert "--output-dir cannot be used with --check, --diff or -" in complaint
    complaint = usage_error(["--output-dir", "x", "--vendor", "old"], capsys)
    assert "--vendor cannot be used with --output-dir" in complaint
