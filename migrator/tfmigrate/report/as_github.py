"""``--format github``: workflow commands, which GitHub shows as annotations of the lines.

The commands and their escapes: https://docs.github.com/actions (workflow commands), and
``toolkit/packages/core/src/command.ts``, whose ``escapeData`` and ``escapeProperty`` these are.
"""

from tfmigrate.engine.outcome import Outcome
from tfmigrate.model.findings import Finding, Severity
from tfmigrate.report import counts
from tfmigrate.report.rule_docs import topics


def document(outcome: Outcome) -> str:
    """Returns one line for each finding."""
    names = {topic.code: topic.name for topic in topics()}
    lines = [_command(f, names[f.code], outcome.dry_run) for f in outcome.findings]
    return "".join(line + "\n" for line in lines)


def _command(finding: Finding, name: str, dry_run: bool) -> str:
    level = "warning"
    if finding.severity is Severity.ERROR:
        level = "error"
    elif counts.state(finding) == counts.KEPT or (
        counts.state(finding) == counts.DONE and not dry_run
    ):
        level = "notice"
    properties = {
        "file": finding.path,
        "line": finding.line,
        "col": finding.column,
        "title": f"tfmigrate {finding.code} {name}",
    }
    message = finding.message + (f"\n{finding.action}" if finding.action else "")
    if finding.cell:
        # Lines are counted in the cell, not in the file.
        properties["line"] = properties["col"] = 1
        message = f"cell {finding.cell}, line {finding.line}: {message}"
    if counts.state(finding) == counts.DONE and dry_run:
        message += "\nrun tfmigrate to make this change"
    shown = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{level} {shown}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
