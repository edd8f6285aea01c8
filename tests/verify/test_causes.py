"""The codes of causes: a closed list, a page of it, and a document whatever happens."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import made_reports
import numpy as np
import pytest
from test_diagnosis import ADAM, MOMENTUM, RMSPROP, SGD
from trainer import lockstep

from tfmigrate_runtime.verify import cli
from tfmigrate_runtime.verify.causes import CAUSES, NOT_DECIDED, OF_RUNGS
from tfmigrate_runtime.verify.diagnosis.diagnosis import diagnose
from tfmigrate_runtime.verify.reports.report_schema import schema_text
from tfmigrate_runtime.verify.reports.written_reports import Report
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import LADDER

SCHEMA = jsonschema.Draft202012Validator(json.loads(schema_text()))
SCRIPT = Path(__file__).parents[2] / "scripts/pages/causes.py"


def test_each_rung_has_a_code() -> None:
    assert len(OF_RUNGS) == len(LADDER)
    assert set(OF_RUNGS) <= set(CAUSES)


def test_the_page_is_made_of_the_list() -> None:
    spec = importlib.util.spec_from_file_location("causes_page", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text("utf-8") == module.page(), "run scripts/pages/causes.py"


@pytest.mark.parametrize("made", made_reports.KINDS.values(), ids=made_reports.KINDS.keys())
def test_reports_of_every_kind_have_a_verdict_and_a_cause(made: Callable[[], Report]) -> None:
    report = made().as_json
    if report["verdict"] == "same":
        assert (report["cause"], report["first_difference"]) == (None, None)
    elif report["verdict"] == "not decided":
        assert (report["cause"], report["first_difference"]) == (NOT_DECIDED, None)
    else:
        assert report["cause"] in CAUSES
        failed = next(rung for rung in report["rungs"] if rung["verdict"] == "different")
        assert report["first_difference"]["rung"] == failed["number"]


def different(change: Callable[[Any], Any]) -> dict[str, Any]:
    """Returns the report on a changed trace and the stored one."""
    trace = made_reports.load_trace(made_reports.TRACE)
    return made_reports.of_programs(change(trace), trace).as_json


def test_the_first_loss_that_differs() -> None:
    def change(trace: Any) -> Any:
        loss = trace.loss.copy()
        loss[3:] += 0.5
        return replace(trace, loss=loss)

    report = different(change)
    first = report["first_difference"]
    assert (report["cause"], first["rung"], first["variable"]) == ("losses", 4, None)
    assert first["migrated"] == pytest.approx(first["original"] + 0.5)
    assert [first["step"], first["original"]] == report["original"]["losses"][3]


def test_the_first_variable_that_differs() -> None:
    def change(trace: Any) -> Any:
        name = trace.trainable[0]
        values = trace.variables[name].copy()
        values[2:].reshape(len(values) - 2, -1)[:, 1] += 0.25
        return replace(trace, variables={**trace.variables, name: values})

    trace = made_reports.load_trace(made_reports.TRACE)
    first = different(change)["first_difference"]
    assert (first["rung"], first["variable"]) == (5, trace.trainable[0])
    assert first["step"] == int(trace.variable_step[2])
    shape = trace.variables[trace.trainable[0]].shape[1:]
    assert first["index"] == [int(i) for i in np.unravel_index(1, shape)]
    assert first["migrated"] == pytest.approx(first["original"] + 0.25)


def test_the_first_initial_value_that_differs() -> None:
    def change(trace: Any) -> Any:
        name = next(iter(trace.initial))
        return replace(trace, initial={**trace.initial, name: trace.initial[name] + 1})

    report = different(change)
    first = report["first_difference"]
    assert (report["cause"], first["rung"], first["step"]) == ("initial-values", 3, None)
    assert first["migrated"] == pytest.approx(first["original"] + 1)


@pytest.mark.parametrize(
    ("trainer", "fault", "code"),
    [
        (SGD, {"rate": lambda step: 0.05}, "learning-rate"),
        (SGD, {"frozen": "one/kernel"}, "lost-updates"),
        (SGD, {"seed": 1}, "direction"),
        (MOMENTUM, {"nesterov": True}, "nesterov"),
        (MOMENTUM, {"regularizer": 0.0}, "regularizer"),
        (ADAM, {"gradient": 2.0}, "gradient-scale"),
        (RMSPROP, {"seed": 3}, "direction"),
    ],
    ids=[
        *("learning-rate", "lost-updates", "direction", "nesterov", "regularizer"),
        *("gradient-scale", "direction of RMSProp"),
    ],
)
def test_updates_show_a_code(trainer: Any, fault: dict[str, Any], code: str) -> None:
    found = diagnose(*lockstep(trainer, **fault), Tolerance())
    assert found[0].code == code, found
    assert {each.code for each in found} <= set(CAUSES)


@pytest.mark.parametrize(
    ("arguments", "cause", "message"),
    [
        (["a.py", "b.py", "--nonsense"], "usage", "unrecognized arguments: --nonsense"),
        ([], "usage", "the following arguments are required: ORIGINAL"),
        (["a.py", "b.py", "--cluster", "ps"], "cluster", "--cluster"),
        (["a.py", "b.py"], "usage", "a.py"),
        (["a.py", "--git", "HEAD"], "source", "not a git repository"),
        (["a.py", "b.py", "--map", "none.json"], "usage", "none.json"),
    ],
)
@pytest.mark.parametrize("form", [["--format", "json"], ["--format=json"]])
def test_what_cannot_be_run_is_a_document_too(
    arguments: list[str],
    cause: str,
    message: str,
    form: list[str],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main([*form, *arguments]) == 2
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    SCHEMA.validate(report)
    assert (report["verdict"], report["cause"]) == ("could not run", cause)
    assert message in report["conclusion"]
    assert printed.err.startswith("tfmigrate verify: ")


def test_an_internal_error_is_a_document_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> Any:
        raise RuntimeError("no")

    monkeypatch.setattr(cli, "verify", fails)
    with pytest.raises(RuntimeError):
        cli.main(["a.py", "b.py", "--format", "json", "--quiet"])
    report = json.loads(capsys.readouterr().out)
    assert (report["cause"], report["conclusion"]) == ("internal-error", "RuntimeError: no")
