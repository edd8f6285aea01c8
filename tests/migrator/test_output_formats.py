from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from test_cli import BY_HAND, ORIGINAL, put, tfmigrate, usage_error

from tfmigrate import cli
from tfmigrate.engine.outcome import Outcome
from tfmigrate.model.findings import Finding, Severity
from tfmigrate.report import as_github, as_json, as_sarif
from tfmigrate.report.documents import document
from tfmigrate.rulekit.registry import rules

jsonschema = pytest.importorskip("jsonschema", reason="needs the extra test: jsonschema")

SARIF_SCHEMA = Path(__file__).parent / "schemas" / "sarif-2.1.0-rtm.5.json"
UNSAFE = ORIGINAL.replace(
    "  train_op = optimizer.minimize(loss, tf.train.get_global_step())\n",
    "  pairs = optimizer.compute_gradients(loss)\n"
    "  train_op = optimizer.apply_gradients(zip(*zip(*pairs)))\n",
)
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# text"]},
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": ["import tensorflow as tf\n", "x = tf.contrib.tpu.keras_to_tpu_model()"],
        },
    ],
    "metadata": {"kernelspec": {"language": "python", "name": "python3", "display_name": "P"}},
    "nbformat": 4,
    "nbformat_minor": 4,
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file for every state that a finding can have; it is the current one."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "good" / "with space, and é.py")
    put(tmp_path / "by_hand.py", BY_HAND)
    put(tmp_path / "broken.py", ORIGINAL + "def (:\n")
    put(tmp_path / "book.ipynb", json.dumps(NOTEBOOK, indent=1))
    return tmp_path


def check_json(text: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(text)
    schema = resources.files("tfmigrate").joinpath("data/findings.schema.json").read_text("utf-8")
    jsonschema.Draft202012Validator(
        json.loads(schema), format_checker=jsonschema.FormatChecker()
    ).validate(content)
    return content


def check_sarif(text: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(text)
    schema = json.loads(SARIF_SCHEMA.read_text("utf-8"))
    jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)
    run: dict[str, Any] = log["runs"][0]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
    prints = [result["partialFingerprints"]["tfmigrate/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)
    return run


def an_outcome(*findings: Finding) -> Outcome:
    return Outcome(dry_run=True, findings=list(findings), examined=1, parsed=1)


def a_finding(path: str = "a.py", code: str = "TFM201", **changes: Any) -> Finding:
    known = {"line": 3, "column": 5, "severity": Severity.MANUAL, "message": "m", "action": "a"}
    return Finding(path=path, code=code, applied=False, **{**known, **changes})


def test_json_is_what_its_schema_says_and_nothing_else_is_printed_beside_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--check", "--no-cache", "--format", "json", "."]) == 2
    output = capsys.readouterr()
    content = check_json(output.out)
    assert content["exit_code"] == 2
    assert content["dry_run"]
    assert content["counts"].keys() == {"fixed", "kept", "unsafe", "manual", "error"}
    assert content["counts"]["error"] == 1
    assert sum(content["counts"].values()) == len(content["findings"])
    assert content["files"]["changed"] == ["book.ipynb", "good/with space, and é.py"]
    assert {f["cell"] for f in content["findings"] if f["path"] == "book.ipynb"} == {2}
    by_rule = {rule["code"]: sum(rule["counts"].values()) for rule in content["rules"]}
    assert by_rule["TFM900"] == 1
    assert sum(by_rule.values()) == len(content["findings"])
    assert "broken.py:16" in output.err
    assert output.err.rstrip().endswith("1 file could not be parsed.")
    left = {(one["path"], one["reason"]) for one in content["files"]["left"]}
    assert left == {("broken.py", "unparsable"), ("by_hand.py", "held-back")}


def test_json_after_writing_says_what_was_applied(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--format", "json", "good"]) == 0
    content = check_json(capsys.readouterr().out)
    assert not content["dry_run"]
    assert content["findings"]
    assert all(f["applied"] and f["state"] == "fixed" for f in content["findings"])


def test_a_finding_has_the_end_of_its_construct(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.main(["--check", "--format", "json", "good"])
    content = check_json(capsys.readouterr().out)
    ends = set()
    for found in content["findings"]:
        if found["end_line"] is None:
            continue
        lines = (here / found["path"]).read_text().splitlines()
        text = lines[found["line"] - 1 : found["end_line"]]
        text[-1] = text[-1][: found["end_column"] - 1]
        text[0] = text[0][found["column"] - 1 :]
        ends.add("\n".join(text))
    assert "tensorflow as tf" in ends


def test_nothing_is_applied_in_a_dry_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--check", "--format", "json", "good"]) == 1
    content = check_json(capsys.readouterr().out)
    assert content["findings"]
    assert not any(f["applied"] for f in content["findings"])
    assert {f["state"] for f in content["findings"]} == {"fixed"}
    cli.main(["--check", "--format", "sarif", "good"])
    (log,) = json.loads(capsys.readouterr().out)["runs"]
    assert not any(result["properties"]["applied"] for result in log["results"])


@pytest.mark.parametrize("severity", Severity)
@pytest.mark.parametrize("cell", [0, 7])
def test_every_kind_of_finding_is_valid_in_every_format(severity: Severity, cell: int) -> None:
    paths = ("a.py", "/else where/ü.py", "../b.py", "caf\udce9.py")
    found = [a_finding(path, severity=severity, cell=cell) for path in paths]
    outcome = an_outcome(*found, *found)
    check_json(as_json.document(outcome))
    check_sarif(as_sarif.document(outcome))
    lines = as_github.document(outcome).splitlines()
    assert len(lines) == 2 * len(paths)


def test_a_run_without_findings_is_valid_in_every_format() -> None:
    outcome = Outcome(dry_run=False)
    assert check_json(document(outcome, "json"))["findings"] == []
    assert check_sarif(document(outcome, "sarif"))["results"] == []
    assert document(outcome, "github") == ""


def test_sarif_validates_and_points_to_files_below_the_current_folder(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--check", "--no-cache", "--format", "sarif", "."]) == 2
    run = check_sarif(capsys.readouterr().out)
    assert run["invocations"][0] == {"executionSuccessful": False, "exitCode": 2}
    locations = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    base = run["originalUriBaseIds"]["%SRCROOT%"]["uri"]
    for location in locations:
        artifact = location["artifactLocation"]
        assert artifact["uriBaseId"] == "%SRCROOT%"
        path = Path(unquote((base + artifact["uri"]).removeprefix("file://")))
        assert path.is_file()
        assert ("region" in location) == (path.suffix == ".py")
    levels = {result["ruleId"]: result["level"] for result in run["results"]}
    assert levels["TFM900"] == "error"
    assert levels["TFM702"] == "warning"
    assert levels["TFM202"] in ("note", "warning")
    for rule in run["tool"]["driver"]["rules"]:
        assert rule["helpUri"].endswith(f"/docs/rules/{rule['id']}.md")
        assert rule["help"]["text"]


def test_a_fingerprint_stays_when_lines_are_added_above() -> None:
    prints = [
        check_sarif(as_sarif.document(an_outcome(a_finding(line=line))))["results"][0][
            "partialFingerprints"
        ]
        for line in (3, 30)
    ]
    assert prints[0] == prints[1]


def test_github_annotations_are_escaped_and_of_the_right_level() -> None:
    done = a_finding(severity=Severity.FIXED, message="100% done,\r\nlike this: so")
    failed = a_finding("a,b:c.py", severity=Severity.ERROR, action="")
    in_cell = a_finding("b.ipynb", cell=4)
    lines = as_github.document(an_outcome(done, failed, in_cell)).splitlines()
    head = "line=3,col=5,title=tfmigrate TFM201 replicate-model-fn"
    assert lines == [
        f"::warning file=a.py,{head}::100%25 done,%0D%0Alike this: so%0Aa",
        f"::error file=a%2Cb%3Ac.py,{head}::m",
        "::warning file=b.ipynb,line=1,col=1,title=tfmigrate TFM201 replicate-model-fn"
        "::cell 4, line 3: m%0Aa",
    ]
    made = Finding("a.py", 1, 1, "TFM201", Severity.FIXED, "made", "", applied=True)
    assert as_github.document(an_outcome(made)).endswith(
        "::made%0Arun tfmigrate to make this change\n"
    )
    after = Outcome(dry_run=False, findings=[made])
    assert as_github.document(after).startswith("::notice ")


def test_statistics_take_the_place_of_the_findings(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "unsafe.py", UNSAFE)
    assert cli.main(["--check", "--no-cache", "--statistics", "."]) == 2
    out = capsys.readouterr().out
    assert ":1:" not in out
    head, *rows = out.partition("\n\n")[0].splitlines()
    assert head.split() == ["code", "fixable", "unsafe", "manual", "error", "files"]
    totals = [sum(int(count) for count in row.split()[1:5]) for row in rows]
    assert totals == sorted(totals, reverse=True)
    assert any(
        row.split() == ["TFM900", "0", "0", "0", "1", "1", "unparsable-file"] for row in rows
    )


def test_the_summary_counts_by_code(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "unsafe.py", UNSAFE)
    cli.main(["--check", "--no-cache", "unsafe.py", "book.ipynb"])
    *lines, hint, unsafe, _, _ = capsys.readouterr().out.splitlines()[-7:]
    assert unsafe.startswith("--unsafe applies 3 more changes in 1 file;")
    assert hint == "Run `tfmigrate explain TFM702` for the reason and what to do."
    assert [line.split()[0] for line in lines] == ["fixable", "unsafe", "manual"]
    for line in lines:
        _, total, *codes = line.replace(",", "").split()
        assert int(total) == sum(int(count) for count in codes[1::2])
    assert "TFM205 1" in lines[1]


def test_the_standard_input_has_a_name_a_folder_and_formats(here: Path) -> None:
    data = (here / "good" / "with space, and é.py").read_text("utf-8")
    command = [sys.executable, "-m", "tfmigrate", "-", "--stdin-filename", "sub/x.py", "--check"]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    result = subprocess.run(
        [*command, "--format", "json"],
        input=data,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": path},
        cwd=here,
    )
    content = check_json(result.stdout)
    assert {finding["path"] for finding in content["findings"]} == {"sub/x.py"}
    assert result.returncode == content["exit_code"] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--diff", "--format", "json", "."], "cannot be combined with --format json"),
        (["-", "--format", "sarif"], "with --format sarif needs --check"),
        (["--stdin-filename", "a.py", "."], "--stdin-filename needs -"),
        (["--format", "yaml", "."], "invalid choice: 'yaml'"),
        (["--report", "plan.pdf", "."], "plan.pdf must end in one of .html, .md, .json, .sarif"),
        (["--target", "2.15", "."], "invalid choice: '2.15'"),
        (["--vendor", "-"], "give the path of the file"),
    ],
)
def test_what_does_not_go_together_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert words in usage_error(arguments, capsys)


def test_rules_and_explanations_are_there_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules", "--format", "json"]) == 0
    listed = {entry["code"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert {rule.code for rule in rules()} < listed.keys()
    assert listed["TFM201"]["name"] == "replicate-model-fn"
    assert cli.main(["explain", "TFM201", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == [listed["TFM201"]]


def test_a_diff_keeps_its_place_where_the_settings_ask_for_a_format(here: Path) -> None:
    put(here / "pyproject.toml", '[tool.tfmigrate]\nformat = "json"\n')
    result = tfmigrate("--diff", "good", folder=here)
    assert result.stdout.startswith("--- a/good/")
    assert json.loads(tfmigrate("--check", "good", folder=here).stdout)["dry_run"]
