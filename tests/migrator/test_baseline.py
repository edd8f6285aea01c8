from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import BY_HAND, ORIGINAL, put, usage_error
from test_settings import settings

from tfmigrate import cli


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_known_findings_are_not_reported_and_new_ones_are(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py", BY_HAND)
    put(here / "b.py", ORIGINAL)
    assert cli.main(["--check", "."]) == 1
    assert cli.main(["--check", "--write-baseline", "known.json", "."]) == 0
    capsys.readouterr()
    assert cli.main(["--check", "--baseline", "known.json", "."]) == 0
    assert capsys.readouterr().out == "2 files checked, nothing outside the baseline.\n"

    # Lines above a finding do not make it new; another finding is.
    put(here / "a.py", "# a comment\n" + BY_HAND)
    assert cli.main(["--check", "--baseline", "known.json", "."]) == 0
    put(here / "c.py", ORIGINAL)
    capsys.readouterr()
    assert cli.main(["--check", "--baseline", "known.json", "."]) == 1
    output = capsys.readouterr().out
    assert "c.py:" in output
    assert "a.py:" not in output
    assert "b.py:" not in output


def test_a_second_one_of_a_known_finding_is_new(here: Path) -> None:
    line = "tf.zeros([])  # tfmigrate: ignore[TFM201]\n"  # an unused comment
    put(here / "a.py", "import tensorflow as tf\n" + line)
    assert cli.main(["-q", "--check", "--write-baseline", "known.json", "a.py"]) == 0
    assert cli.main(["-q", "--check", "--baseline", "known.json", "a.py"]) == 0
    put(here / "a.py", "import tensorflow as tf\n" + line + line)
    assert cli.main(["-q", "--check", "--baseline", "known.json", "a.py"]) == 1


def test_changes_are_made_and_reported_though_they_were_known(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "b.py")
    cli.main(["-q", "--check", "--write-baseline", "known.json", "b.py"])
    assert cli.main(["--baseline", "known.json", "b.py"]) == 0
    output = capsys.readouterr()
    assert "1 file migrated" in output.out
    assert "entries of the baseline known.json no longer found" in output.err
    assert "TowerOptimizer" not in (here / "b.py").read_text()


def test_entries_of_files_that_were_not_searched_are_not_missed(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "sub" / "a.py", BY_HAND)
    put(here / "subs" / "b.py", BY_HAND)
    put(here / "sub" / "gone.py", BY_HAND)
    assert cli.main(["--check", "--write-baseline", "known.json", "."]) == 0
    assert "findings to known.json; hide them with --baseline known.json" in capsys.readouterr().err
    assert cli.main(["--check", "--baseline", "known.json", "sub"]) == 0
    assert "no longer found" not in capsys.readouterr().err
    (here / "sub" / "gone.py").unlink()
    monkeypatch.chdir(here / "sub")
    assert cli.main(["--check", "--baseline", "../known.json", "."]) == 0
    assert "of the baseline ../known.json no longer found" in capsys.readouterr().err


def test_the_project_may_name_its_baseline(here: Path) -> None:
    put(here / "sub" / "a.py", BY_HAND)
    settings(here, 'baseline = "known.json"')
    with pytest.raises(SystemExit):  # it does not exist yet
        cli.main(["-q", "--check", "sub"])
    assert cli.main(["-q", "--check", "--write-baseline", "known.json", "sub"]) == 0
    assert cli.main(["-q", "--check", "sub"]) == 0
    entries = json.loads((here / "known.json").read_text())["findings"]
    assert {entry["path"] for entry in entries} == {"sub/a.py"}


def test_other_files_are_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "a.py")
    for text in ("no JSON", "[]", "{}", '{"version": 1, "findings": [1]}'):
        (here / "known.json").write_text(text)
        complaint = usage_error(["--check", "--baseline", "known.json", "a.py"], capsys)
        assert "known.json is not a baseline; write one with --write-baseline" in complaint
    (here / "known.json").write_text('{"version": 9}')
    complaint = usage_error(["--check", "--baseline", "known.json", "a.py"], capsys)
    assert "written by a newer version" in complaint
    complaint = usage_error(["--check", "--baseline", "none.json", "a.py"], capsys)
    assert "none.json cannot be read: No such file" in complaint
    complaint = usage_error(["--write-baseline", "known.json", "a.py"], capsys)
    assert "--write-baseline needs --check" in complaint
