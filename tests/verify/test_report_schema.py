"""The JSON of every kind of report, against the schema that users are given."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import made_reports
import pytest

from tfmigrate_runtime.verify.options import parse
from tfmigrate_runtime.verify.reports.report_schema import schema_text
from tfmigrate_runtime.verify.reports.written_reports import Report

SCHEMA = json.loads(schema_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
# Their keys are names of jobs, variables and tasks.
_BY_NAME = ("cluster", "placement", "tasks")


def described(schema: dict[str, Any]) -> set[str]:
    """Returns every key that a schema describes."""
    found = set(schema.get("properties", ()))
    for value in schema.values():
        for inner in value if isinstance(value, list) else [value]:
            found |= described(inner) if isinstance(inner, dict) else set()
    return found


def keys(value: Any) -> Iterator[str]:
    """Yields every key of a report that is not somebody's name."""
    if isinstance(value, list):
        for item in value:
            yield from keys(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(list(inner.values()) if key in _BY_NAME else inner)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("made", made_reports.KINDS.values(), ids=made_reports.KINDS.keys())
def test_reports_of_every_kind_follow_it(made: Callable[[], Report]) -> None:
    report = json.loads(made().json(), parse_constant=pytest.fail)
    VALIDATOR.validate(report)
    assert set(keys(report)) <= described(SCHEMA)


@pytest.mark.parametrize("path", ["same", "rungs.0.verdict", "original.first_loss", "format"])
def test_a_report_that_does_not_is_refused(path: str) -> None:
    report = json.loads(made_reports.same().json())
    *outer, last = path.split(".")
    holder = report
    for key in outer:
        holder = holder[int(key) if key.isdigit() else key]
    holder[last] = "something else"
    assert not VALIDATOR.is_valid(report)
    del holder[last]
    assert not VALIDATOR.is_valid(report)


def test_final_losses_of_free_runs_are_in_the_report() -> None:
    rungs = json.loads(made_reports.free().json())["rungs"]
    assert [rung["samples"] is None for rung in rungs] == [True] * 9 + [False]
    assert [len(rungs[-1]["samples"][side]) for side in ("original", "migrated")] == [5, 5]


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(["--json-schema"])
    assert ended.value.code == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA


def test_the_documentation_has_every_key() -> None:
    text = (Path(__file__).parents[2] / "docs/reference/verify.md").read_text("utf-8")
    table = text.split("## Reports")[1].split("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", table))
    of_tasks = {"steps"}
    assert described(SCHEMA) - of_tasks <= named
