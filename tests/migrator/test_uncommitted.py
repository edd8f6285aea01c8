from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from test_cli import UNRELATED, put

from tfmigrate import cli


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with three committed files, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py", "notes.txt"):
        put(tmp_path / name)
    author = ["-c", "user.name=name", "-c", "user.email=mail"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def warned(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    cli.main(["-q", *arguments])
    lines = capsys.readouterr().err.splitlines()
    return next((line for line in lines if "uncommitted" in line), "")


def test_uncommitted_changes_are_named(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(repository / "notes.txt", "changed")  # tfmigrate does not change it
    put(repository / "notes.md", "new")
    assert warned(capsys, "b.py") == ""
    # b.py was migrated.
    assert "uncommitted changes in b.py: commit them first" in warned(capsys, ".")
    assert warned(capsys, "--allow-dirty", ".") == ""
    assert warned(capsys, "--check", ".") == ""


def test_a_file_that_git_does_not_know_is_named(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(repository / ".gitignore", "ignored.py\n")
    put(repository / "ignored.py", UNRELATED)
    put(repository / "venv" / "installed.py", UNRELATED)
    put(repository / "sub" / "new.py", UNRELATED)
    assert "uncommitted changes in sub/new.py: commit them first" in warned(capsys, ".")
    monkeypatch.chdir(repository / "sub")
    assert "uncommitted changes in new.py: commit them first" in warned(capsys, ".")


def test_names_do_not_reach_the_terminal_as_they_are(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(repository / "x\x1b]0;y\n.py", UNRELATED)
    assert r"uncommitted changes in x\x1b]0;y\n.py: commit" in warned(capsys, ".")


def test_no_repository_and_a_broken_one_are_no_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "a.py")
    assert warned(capsys, "a.py") == ""
    (tmp_path / ".git").mkdir()
    assert warned(capsys, "a.py") == ""
