from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import ORIGINAL, UNRELATED, put, usage_error

from tfmigrate import cli
from tfmigrate.commands import watch


def test_a_change_is_checked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "a.py", UNRELATED)
    edits = iter([lambda: None, lambda: put(tmp_path / "a.py"), lambda: put(tmp_path / "b.py")])

    def sleep(_: float) -> None:
        edit = next(edits, None)
        if edit is None:
            raise KeyboardInterrupt
        edit()

    monkeypatch.setattr(watch.time, "sleep", sleep)
    assert cli.main(["--check", "--watch", "--no-cache", "."]) == 0
    output = capsys.readouterr()
    assert [
        line.partition(",")[0]
        for line in output.out.splitlines()
        if "igrate" in line and ":" not in line
    ] == [
        "1 file would be migrated",
        "2 files would be migrated",
    ]
    assert output.err.count("watching for changes; Ctrl-C ends") == 3
    assert (tmp_path / "a.py").read_text() == ORIGINAL


def test_a_file_that_is_missing_for_a_moment_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "a.py", UNRELATED)
    edits = iter([(tmp_path / "a.py").unlink, lambda: put(tmp_path / "a.py")])

    def sleep(_: float) -> None:
        edit = next(edits, None)
        if edit is None:
            raise KeyboardInterrupt
        edit()

    monkeypatch.setattr(watch.time, "sleep", sleep)
    assert cli.main(["--check", "--watch", "--no-cache", "a.py"]) == 0
    assert capsys.readouterr().err.count("watching for changes") == 2


def test_requirements_are_watched_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "requirements.txt", "six\n")
    edits = iter([lambda: put(tmp_path / "requirements.txt", "tensorflow==1.15\n")])

    def sleep(_: float) -> None:
        edit = next(edits, None)
        if edit is None:
            raise KeyboardInterrupt
        edit()

    monkeypatch.setattr(watch.time, "sleep", sleep)
    assert cli.main(["--check", "--watch", "--no-cache", "."]) == 0
    assert "TFM908" in capsys.readouterr().out


def test_it_only_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path / "a.py")
    complaint = usage_error(["--watch", str(tmp_path)], capsys)
    assert "--watch needs --check" in complaint
