"""The edits of findings in JSON and SARIF, applied, give the text that tfmigrate writes."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tfmigrate.cli import main
from tfmigrate.rules import tfm312_updates_by_every_worker as unsafe_rule

FIXTURES = Path(__file__).parents[2] / "fixtures"
PROGRAMS = sorted(FIXTURES.glob("*/*/original.py"))[::4]
Edit = tuple[tuple[int, int], tuple[int, int], str]


def checked(path: Path, form: str, capsys: pytest.CaptureFixture[str]) -> Any:
    main(["--isolated", "--check", "--format", form, "--unsafe", str(path)])
    return json.loads(capsys.readouterr().out)


def written(path: Path, *options: str) -> str:
    main(["--isolated", "--unsafe", "--allow-dirty", *options, str(path)])
    return path.read_text()


def applied(text: str, edits: list[Edit]) -> str:
    """Returns a text with the edits made, from the last one to the first."""
    lines = text.splitlines(keepends=True)

    def offset(place: tuple[int, int]) -> int:
        return sum(map(len, lines[: place[0] - 1])) + place[1] - 1

    for start, end, content in sorted(edits, reverse=True):
        text = text[: offset(start)] + content + text[offset(end) :]
    return text


def edits_of_json(document: Any) -> list[Edit]:
    return [
        (
            (edit["location"]["row"], edit["location"]["column"]),
            (edit["end_location"]["row"], edit["end_location"]["column"]),
            edit["content"],
        )
        for finding in document["findings"]
        if finding["fix"]
        for edit in finding["fix"]["edits"]
    ]


def edits_of_sarif(document: Any) -> list[Edit]:
    return [
        (
            (edit["deletedRegion"]["startLine"], edit["deletedRegion"]["startColumn"]),
            (edit["deletedRegion"]["endLine"], edit["deletedRegion"]["endColumn"]),
            edit["insertedContent"]["text"],
        )
        for result in document["runs"][0]["results"]
        for fix in result.get("fixes", ())
        for change in fix["artifactChanges"]
        for edit in change["replacements"]
    ]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.parent.name)
def test_the_edits_of_a_program_are_what_is_written(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "program.py"
    copy.write_text(program.read_text())
    edits = edits_of_json(checked(copy, "json", capsys))
    assert edits_of_sarif(checked(copy, "sarif", capsys)) == edits
    assert applied(program.read_text(), edits) == written(copy, "--quiet") != program.read_text()


@pytest.mark.parametrize("text", ["import tensorflow as tf\ntf.contrib.layers.relu", "x = 1\n", ""])
def test_the_end_of_a_text_without_a_line_break(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "program.py"
    copy.write_text(text)
    edits = edits_of_json(checked(copy, "json", capsys))
    assert applied(text, edits) == written(copy, "--quiet")


def test_unsafe_changes_are_said_to_be_and_written_ones_have_no_edits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = str(unsafe_rule.__doc__).split("Before::")[1].split("After::")[0]
    unsafe, safe = tmp_path / "unsafe.py", tmp_path / "safe.py"
    unsafe.write_text(textwrap.dedent(example))
    safe.write_text("import tensorflow as tf\n\nprint(tf.layers.dense)\n")
    for path, applicability in ((unsafe, "unsafe"), (safe, "safe")):
        found = checked(path, "json", capsys)["findings"]
        fixes = [finding["fix"] for finding in found if finding["fix"]]
        assert fixes and {fix["applicability"] for fix in fixes} == {applicability}
    written(unsafe, "--format", "json")
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [finding["fix"] for finding in found] == [None] * len(found)
