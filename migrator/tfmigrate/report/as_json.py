"""``--format json``: the findings as one JSON object, described by data/findings.schema.json."""

import json
from collections.abc import Sequence
from typing import Any

from tfmigrate import __version__
from tfmigrate.engine.outcome import Outcome
from tfmigrate.model.findings import Finding, Severity
from tfmigrate.report import counts
from tfmigrate.report.doc_links import page_of
from tfmigrate.report.fixes import Edit, fixes_of
from tfmigrate.report.left_files import left_files
from tfmigrate.report.rule_docs import topics

FORMAT_VERSION = 2
"""Incremented with every change that could break a reader of the format."""


def document(outcome: Outcome) -> str:
    """Returns the findings of a run as JSON text."""
    names = {topic.code: topic.name for topic in topics()}
    fixes = fixes_of(outcome)
    # They belong together: what is safe in itself may be there for what is not.
    is_unsafe = any(f.applied and f.severity is Severity.UNSAFE for f in outcome.findings)
    content = {
        "version": FORMAT_VERSION,
        "tool": {"name": "tfmigrate", "version": __version__},
        "dry_run": outcome.dry_run,
        "exit_code": outcome.exit_code,
        "files": {
            "examined": outcome.examined,
            "parsed": outcome.parsed,
            "changed": outcome.changed,
            "left": [vars(left) for left in left_files(outcome)],
            "ignored": outcome.ignored,
        },
        "counts": counts.totals(outcome),
        "rules": [
            {"code": row.code, "name": names[row.code], "files": row.files, "counts": row.counts}
            for row in counts.rows(outcome)
        ],
        "notes": outcome.notes,
        "findings": [
            {
                **_entry(finding, names[finding.code], outcome.dry_run),
                "fix": _fix(finding, fixes[number], is_unsafe) if number in fixes else None,
            }
            for number, finding in enumerate(outcome.findings)
        ],
    }
    return json.dumps(content, indent=2) + "\n"


def _entry(finding: Finding, name: str, dry_run: bool) -> dict[str, Any]:
    return {
        "path": finding.path,
        "cell": finding.cell or None,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line or None,
        "end_column": finding.end_column or None,
        "code": finding.code,
        "name": name,
        "severity": finding.severity.value,
        "state": counts.state(finding),
        "applied": finding.applied and not dry_run,
        "message": finding.message,
        "action": finding.action,
        "url": page_of(finding.code),
    }


def _fix(finding: Finding, edits: Sequence[Edit], is_unsafe: bool) -> dict[str, Any]:
    return {
        "applicability": "unsafe" if is_unsafe else "safe",
        "message": finding.message,
        "edits": [
            {
                "content": edit.content,
                "location": dict(zip(("row", "column"), edit.start, strict=True)),
                "end_location": dict(zip(("row", "column"), edit.end, strict=True)),
            }
            for edit in edits
        ],
    }
