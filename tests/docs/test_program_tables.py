"""Rows of public programs that no log has stay on the page."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.reports.report import refusal_as_json

sys.path.append(str(Path(__file__).parents[2] / "scripts" / "real_programs"))

import programs_table
from programs_table import BEGIN, END, write_table
from real_program import RealProgram
from run_one import Outcome, judge


def program(name: str, **values: object) -> RealProgram:
    settings = {"family": "session", "outcome": "equal", "file": "train.py", **values}
    return RealProgram(name, f"someone/{name}", "0" * 40, **settings)  # type: ignore[arg-type]


OLD, NEW = program("old"), program("new")
EQUAL = Outcome("old", "equal", steps="8 steps", same=True, files=7)
DIFFERENT = Outcome("new", "different", files=9)


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    begin = programs_table._MADE_BY.format("eager programs", "eager")
    path = tmp_path / "coverage.md"
    path.write_text(
        f"# Page\n\n{BEGIN}\n{END}\n\n{begin}\n<!-- end of eager programs -->\n\nLast.\n"
    )
    monkeypatch.setattr(programs_table, "PAGE", path)
    return path


@pytest.mark.parametrize("target", ["default", "eager"])
def test_a_row_that_is_not_in_the_log_is_kept(target: str, page: Path) -> None:
    write_table(target, [OLD, NEW], {"old": EQUAL})
    kept = [line for line in page.read_text().splitlines() if line.startswith("| old |")]
    assert len(kept) == (2 if target == "default" else 1)
    write_table(target, [OLD, NEW], {"new": DIFFERENT})
    text = page.read_text()
    assert [line for line in text.splitlines() if line.startswith("| old |")] == kept
    assert "2 programs of 2 repositories: 1 verified equal, 1 **different**." in text
    assert text.startswith("# Page\n") and text.endswith("\nLast.\n")


def test_what_the_log_has_replaces_a_row(page: Path) -> None:
    write_table("default", [OLD], {"old": EQUAL})
    write_table("default", [OLD], {"old": Outcome("old", "different")})
    text = page.read_text()
    assert "1 programs of 1 repositories: 1 **different**." in text
    assert "verified equal" not in text


def test_a_program_without_a_file_leaves_the_page(page: Path) -> None:
    write_table("default", [OLD, NEW], {"old": EQUAL, "new": DIFFERENT})
    write_table("default", [NEW], {})
    assert "| old |" not in page.read_text()


def test_the_first_try_is_counted_with_rows_that_are_kept(page: Path) -> None:
    first = program("old", stand_ins=True, first="failed")
    write_table("eager", [first, program("new", stand_ins=True)], {"old": EQUAL})
    write_table("eager", [first, program("new", stand_ins=True)], {"new": DIFFERENT})
    assert "In the first try: 1 **different**, 1 **failed**." in page.read_text()


def test_the_summary_counts_what_the_rows_say() -> None:
    text = programs_table.PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]
    summary, *sections = text.split("\n### ")
    counted = {}
    for section in sections[:-1]:  # the last has the repositories
        family, *rows = (line for line in section.splitlines() if line and "---" not in line)
        outcomes = [row.split(" | ")[3] for row in rows[1:]]
        counted[family] = len(outcomes), outcomes.count("verified equal")
    rows = [line.strip("| ").split(" | ") for line in summary.splitlines() if line[:2] == "| "][1:]
    assert {row[0]: (int(row[1]), int(row[2])) for row in rows} == counted


def test_the_remark_begins_with_another_first_try(page: Path) -> None:
    first = program("old", first="different", notes="Now its seeds are set.")
    write_table("default", [first], {"old": EQUAL})
    assert "| first try: **different**; Now its seeds are set. |" in page.read_text()


def test_the_reason_of_a_failure_has_its_first_line() -> None:
    said = "\n".join(["The migrated program ended with exit code 1:", *["  | File"] * 30, "end"])
    report, result = json.dumps(refusal_as_json("migrated-failed", said)), Outcome("new")
    judge(report, "TFM402", NEW, result)
    assert (result.outcome, result.reason, result.same) == ("failed", said, None)
    judge(report, "TFM402", program("new", outcome="manual", manual=("TFM402",)), result)
    assert result.outcome == "manual"
