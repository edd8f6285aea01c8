"""``--format sarif``: SARIF 2.1.0, which code scanning services take.

The properties and what they may hold are those of the OASIS standard, section 3
(https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tfmigrate import __version__
from tfmigrate.engine.outcome import Outcome
from tfmigrate.model.findings import Finding, Severity
from tfmigrate.report import counts
from tfmigrate.report.doc_links import PROJECT, page_of
from tfmigrate.report.fixes import Edit, fixes_of
from tfmigrate.report.rule_docs import Topic, topics

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_LEVELS = {
    Severity.FIXED: "note",
    Severity.KEPT: "note",
    Severity.UNSAFE: "warning",
    Severity.MANUAL: "warning",
    Severity.ERROR: "error",
}


def document(outcome: Outcome) -> str:
    """Returns the findings of a run as a SARIF log with one run."""
    codes = {finding.code for finding in outcome.findings}
    rules = [topic for topic in topics() if topic.code in codes]
    index = {topic.code: number for number, topic in enumerate(rules)}
    seen: Counter[tuple[str, str, str]] = Counter()
    fixes = fixes_of(outcome)
    results = [
        {**_result(finding, index, seen, outcome.dry_run), **_fixes(finding, fixes.get(number, []))}
        for number, finding in enumerate(outcome.findings)
    ]
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "tfmigrate",
                        "version": __version__,
                        "informationUri": PROJECT,
                        "rules": [_rule(topic) for topic in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {_ROOT: {"uri": _uri(Path.cwd()).rstrip("/") + "/"}},
                "invocations": [
                    {"executionSuccessful": not outcome.errors, "exitCode": outcome.exit_code}
                ],
                "results": results,
            }
        ],
    }
    return json.dumps(log, indent=2) + "\n"


def _rule(topic: Topic) -> dict[str, Any]:
    return {
        "id": topic.code,
        "name": "".join(word.capitalize() for word in topic.name.split("-")),
        "shortDescription": {"text": topic.text.partition("\n")[0]},
        "fullDescription": {"text": topic.text.partition("\n")[0]},
        "help": {"text": topic.text.strip()},
        "helpUri": page_of(topic.code),
        "defaultConfiguration": {"level": _LEVELS[topic.severity]},
    }


def _result(
    finding: Finding, index: dict[str, int], seen: Counter[tuple[str, str, str]], dry_run: bool
) -> dict[str, Any]:
    message = finding.message + (f"\n{finding.action}" if finding.action else "")
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": _artifact(finding.path)}}
    if finding.cell:
        # A region would refer to lines of the JSON text, not of the cell.
        place = f"cell {finding.cell}, line {finding.line}, column {finding.column}"
        location["logicalLocations"] = [{"name": f"cell {finding.cell}", "kind": "cell"}]
        message = f"{place}: {message}"
    else:
        end = (finding.end_line, finding.end_column) if finding.end_line else None
        location["physicalLocation"]["region"] = _region((finding.line, finding.column), end)
    return {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": message},
        "locations": [location],
        "partialFingerprints": {"tfmigrate/v1": _fingerprint(finding, seen)},
        "properties": {"state": counts.state(finding), "applied": finding.applied and not dry_run},
    }


def _region(start: tuple[int, int], end: tuple[int, int] | None) -> dict[str, int]:
    region = dict(zip(("startLine", "startColumn"), start, strict=True))
    return region | (dict(zip(("endLine", "endColumn"), end, strict=True)) if end else {})


def _fixes(finding: Finding, edits: Sequence[Edit]) -> dict[str, Any]:
    if not edits:
        return {}
    replacements = [
        {"deletedRegion": _region(edit.start, edit.end), "insertedContent": {"text": edit.content}}
        for edit in edits
    ]
    change = {"artifactLocation": _artifact(finding.path), "replacements": replacements}
    return {"fixes": [{"description": {"text": finding.message}, "artifactChanges": [change]}]}


def _fingerprint(finding: Finding, seen: Counter[tuple[str, str, str]]) -> str:
    """Returns what stays the same when lines are added above: not the line, but which of them."""
    key = (finding.path, finding.code, finding.message)
    seen[key] += 1
    text = "\0".join((*key, str(seen[key])))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _artifact(shown: str) -> dict[str, str]:
    path = Path(shown)
    if path.is_absolute() or ".." in path.parts:
        return {"uri": _uri(Path(os.path.normpath(Path.cwd() / path)))}
    return {"uri": _quoted(shown), "uriBaseId": _ROOT}


def _uri(path: Path) -> str:
    shown = path.as_posix()
    return "file://" + _quoted(shown if shown.startswith("/") else "/" + shown)


def _quoted(path: str) -> str:
    return quote(path, errors="surrogateescape")
