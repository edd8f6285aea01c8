from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_cli import BY_HAND, ORIGINAL, UNRELATED, put, usage_error

from tfmigrate import cli
from tfmigrate.commands.settings import KEYS, nearest


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settings(folder: Path, *lines: str, name: str = "pyproject.toml") -> None:
    put(folder / name, "\n".join(["[tool.tfmigrate]", *lines, ""]))


def test_what_the_project_sets_holds_and_what_is_given_wins(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py")
    settings(here, 'ignore = ["TFM2", "tfm6", "TFM7"]', "statistics = true")
    assert cli.main(["--check", "."]) == 0
    assert "Nothing to do" in capsys.readouterr().out
    assert cli.main(["--check", "--ignore", "TFM1", "."]) == 1
    assert cli.main(["--check", "--isolated", "."]) == 1


def test_flags_of_the_project_can_be_taken_back(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py", BY_HAND)
    settings(here, "statistics = true", 'format = "text"')
    cli.main(["--check", "."])
    assert "a.py:" not in capsys.readouterr().out
    cli.main(["--check", "--no-statistics", "."])
    assert "a.py:" in capsys.readouterr().out


def test_exclude_is_relative_to_the_file_and_is_extended_or_replaced(here: Path) -> None:
    settings(here, 'exclude = ["old/"]', 'extend-exclude = ["/sub/gone.py"]')
    names = ("old/a.py", "sub/old/b.py", "sub/gone.py", "sub/c.py", "sub/d.py")
    for name in names:
        put(here / name)

    def left(*options: str) -> list[str]:
        for name in names:
            put(here / name)
        assert cli.main(["-q", *options, str(here)]) == 0
        return [name for name in names if (here / name).read_text() == ORIGINAL]

    assert left() == ["old/a.py", "sub/old/b.py", "sub/gone.py"]
    assert left("--extend-exclude", "d.py") == [*left(), "sub/d.py"]
    assert left("--exclude", "d.py") == ["sub/gone.py", "sub/d.py"]


def test_a_named_file_is_left_out_only_by_force(here: Path) -> None:
    settings(here, 'exclude = ["old/", "!old/new/", "/x.py"]')
    names = ("old/a.py", "old/new/b.py", "x.py", "sub/x.py")

    def left(*arguments: str) -> list[str]:
        for name in names:
            put(here / name)
        assert cli.main(["-q", *arguments]) == 0
        return [name for name in names if (here / name).read_text() == ORIGINAL]

    assert left(*names) == []
    assert left("--force-exclude", *names) == ["old/a.py", "old/new/b.py", "x.py"]
    assert left("--force-exclude", "old", "sub") == ["old/a.py", "old/new/b.py", "x.py"]
    settings(here, "force-exclude = true", 'exclude = ["/x.py"]')
    assert left(*names) == ["x.py"]
    assert left("--no-force-exclude", *names) == []


def test_the_nearest_file_with_our_section_counts(here: Path) -> None:
    settings(here)
    put(here / "a" / "pyproject.toml", "[tool.other]\nname = 'tfmigrate'\n")
    put(here / "a" / "b" / "x.py", UNRELATED)
    settings(here / "a" / "c")
    assert nearest([str(here / "a" / "b" / "x.py")]) == here / "pyproject.toml"
    assert nearest([str(here / "a" / "c"), str(here / "a" / "b")]) == here / "pyproject.toml"
    assert nearest([str(here / "a" / "c" / "nowhere.py")]) == here / "a" / "c" / "pyproject.toml"
    assert nearest(["."]) == here / "pyproject.toml"


def test_another_file_can_be_given(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "a.py")
    settings(here, 'ignore = ["TFM"]', name="other.toml")
    assert cli.main(["--check", "."]) == 1
    assert cli.main(["--check", "--config", "other.toml", "."]) == 0
    capsys.readouterr()
    assert "cannot be read" in usage_error(["--config", "nowhere.toml", "."], capsys)


def test_the_standard_input_has_the_settings_of_the_folder_that_it_is_from(
    here: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(here / "sub", 'ignore = ["TFM"]')
    for name, changes in (("x.py", True), ("sub/x.py", False)):
        stream = SimpleNamespace(buffer=io.BytesIO(ORIGINAL.encode()))
        monkeypatch.setattr(sys, "stdin", stream)
        assert cli.main(["-", "-q", "--stdin-filename", name]) == 0
        assert (capsysbinary.readouterr().out != ORIGINAL.encode()) == changes


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        (['selct = ["TFM2"]'], 2, "unknown key selct in [tool.tfmigrate]; did you mean select?"),
        (["", "extend_exclude = []"], 3, "did you mean extend-exclude?"),
        (
            ["colour = 1"],
            2,
            f"unknown key colour in [tool.tfmigrate]; the keys are {', '.join(KEYS)}",
        ),
        (["unsafe = 1"], 2, "unsafe must be true or false, not 1"),
        (["", "", 'ignore = "TFM2"'], 4, "ignore must be a list of strings, not 'TFM2'"),
        (['select = ["TFM2", "W6"]'], 2, "select: unknown code 'W6'; `tfmigrate rules` lists"),
        (['target = "1.15"'], 2, "target must be one of 2.16,"),
        (['format = "xml"'], 2, "format must be one of text, json, sarif, github"),
        (["jobs = 0"], 2, "jobs must be a number of processes, at least 1, not 0"),
        (["jobs = true"], 2, "jobs must be a number of processes, at least 1, not True"),
        (["cache-dir = 1"], 2, "cache-dir must be the path of a folder, not 1"),
        (["unsafe = maybe"], 2, "not valid TOML"),
        (["[tool.tfmigrate.lint]", "x = 1"], 2, "unknown key lint"),
    ],
)
def test_errors_name_the_file_and_the_line(
    here: Path, capsys: pytest.CaptureFixture[str], lines: list[str], line: int, words: str
) -> None:
    put(here / "a.py", UNRELATED)
    settings(here, *lines)
    complaint = usage_error(["."], capsys)
    assert f"error: pyproject.toml:{line}: " in complaint
    assert words in complaint


def test_a_pattern_without_a_meaning_is_named_with_its_file(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings(here, 'exclude = ["!"]')
    assert "pyproject.toml: exclude: " in usage_error(["."], capsys)


def test_every_key_can_be_set(here: Path) -> None:
    put(here / "a.py", UNRELATED)
    values = {
        "baseline": "'known.json'",
        "cache-dir": "'kept'",
        "coordinator": "true",
        "exclude": "['x']",
        "extend-exclude": "['y']",
        "force-exclude": "true",
        "format": "'github'",
        "ignore": "['TFM1']",
        "jobs": "2",
        "per-file-ignores": "{ 'tests/' = ['TFM7'] }",
        "py2": "false",
        "select": "['TFM']",
        "statistics": "true",
        "target": "'2.18'",
        "unsafe": "true",
        "vendor": "false",
    }
    assert tuple(sorted(values)) == KEYS
    (here / "known.json").write_text('{"version": 1, "findings": []}')
    settings(here, *(f"{key} = {value}" for key, value in values.items()))
    assert cli.main(["."]) == 0


def test_what_a_check_keeps_is_where_the_file_says(here: Path) -> None:
    put(here / "sub" / "a.py", ORIGINAL)
    settings(here, 'cache-dir = "kept"')
    assert cli.main(["sub", "--diff"]) == 1
    assert not (here / "kept").exists(), "only a check keeps what it found"
    assert cli.main(["sub", "--check"]) == 1
    assert (here / "kept" / "CACHEDIR.TAG").is_file()
    assert cli.main(["sub", "--check", "--cache-dir", "other"]) == 1
    assert (here / "other" / "CACHEDIR.TAG").is_file()


def test_rules_are_ignored_in_some_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings(here, "[tool.tfmigrate.per-file-ignores]", '"old/" = ["TFM"]', '"/b.py" = ["tfm2"]')
    for name in ("old/a.py", "b.py", "sub/b.py"):
        put(here / name)
    cli.main(["--check", "."])
    found = capsys.readouterr().out
    assert "old/a.py:" not in found
    assert "needs TFM201, TFM202 (not selected)" in found.partition("sub/b.py")[0]
    assert "TFM201  fixable" in found.partition("sub/b.py")[2]
    # The option replaces the table, and is relative to the current folder.
    cli.main(["--check", "--per-file-ignores", "sub/:TFM7,TFM2", "--per-file-ignores=b*:TFM", "."])
    found = capsys.readouterr().out
    assert "old/a.py:" in found
    assert "b.py:" not in found


@pytest.mark.parametrize(
    "pattern", ["./sub/a.py", "{here}/sub/", "/sub/a.py", "sub/*.py", "a.py", "x.py:TFM9,a.py"]
)
def test_forms_of_patterns(here: Path, pattern: str, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "sub" / "a.py")
    given = f"{pattern.format(here=here)}:TFM2,TFM6"
    cli.main(["--check", "--per-file-ignores", given, "."])
    assert not re.search(r"TFM[26]\d\d  fixable", capsys.readouterr().out)


def test_patterns_lead_upwards(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "sub" / "a.py")
    (here / "other").mkdir()
    monkeypatch.chdir(here / "other")
    cli.main(["--check", "--per-file-ignores", "../sub/*.py:TFM2,TFM6", ".."])
    assert not re.search(r"TFM[26]\d\d  fixable", capsys.readouterr().out)


def test_wrong_tables_of_ignored_rules_are_usage_errors(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py")
    for line, complaint in (
        ('"a.py" = "TFM2"', "must be a list of strings, not 'TFM2'"),
        ('"a.py" = ["TFX"]', "unknown code 'TFX'"),
    ):
        settings(here, "[tool.tfmigrate.per-file-ignores]", line)
        assert complaint in usage_error(["--check", "."], capsys)
    settings(here, 'per-file-ignores = ["TFM2"]')
    assert "must be a table of patterns" in usage_error(["--check", "."], capsys)
    assert "a.py is not GLOB:CODES" in usage_error(
        ["--isolated", "--per-file-ignores", "a.py", "."], capsys
    )
