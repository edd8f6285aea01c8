"""A file that cannot be written holds back the other files of its program, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_programs_of_several_files import MODEL, TRAIN

from tfmigrate import cli
from tfmigrate.engine.options import Options
from tfmigrate.engine.run import run

PROGRAM = {"train.py": TRAIN.format(imports="import model"), "model.py": MODEL}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two programs of two files, one of which has a read-only file."""
    monkeypatch.chdir(tmp_path)
    for program in ("held", "free"):
        (tmp_path / program).mkdir()
        for name, text in PROGRAM.items():
            (tmp_path / program / name).write_text(text)
    (tmp_path / "held" / "model.py").chmod(0o444)
    return tmp_path


@pytest.mark.parametrize("arguments", [["."], ["--select", "TFM2,TFM6,TFM7", "."]])
def test_a_program_with_a_read_only_file_stays_whole(
    here: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    output = capsys.readouterr()
    (error,) = output.err.splitlines()
    assert error.startswith("held/model.py:1:1")
    assert "not written: the file is read-only" in error
    assert "resolve TFM903 at held/model.py:1:1 first" in " ".join(output.out.split())
    for name, text in PROGRAM.items():
        assert (here / "held" / name).read_text() == text
        assert "contrib" not in (here / "free" / name).read_text()


def test_a_file_that_is_changed_meanwhile_holds_its_program_back(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tfmigrate.engine import component_run

    (here / "held" / "model.py").chmod(0o644)
    real = component_run.migrate_piece
    edited = MODEL + "# saved by an editor\n"

    def with_an_editor(piece: component_run.Piece, work: component_run.Work) -> component_run.Done:
        done = real(piece, work)
        (here / "held" / "model.py").write_text(edited)
        return done

    monkeypatch.setattr(component_run, "migrate_piece", with_an_editor)
    outcome = run(["held"], [], Options(), dry_run=False)
    assert [error.message for error in outcome.errors] == [
        "not written: the file changed while tfmigrate was running"
    ]
    assert outcome.changed == []
    assert (here / "held" / "train.py").read_text() == PROGRAM["train.py"]
    assert (here / "held" / "model.py").read_text() == edited
