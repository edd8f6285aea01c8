"""Baselines: findings that a project knows, which are not reported until they change.

A baseline is a JSON file of findings by file, rule and message. Lines are not in it, so edits
elsewhere in a file do not make its findings new.
"""

import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tfmigrate.engine.outcome import Outcome
from tfmigrate.files.discover import UsageError
from tfmigrate.model.findings import Finding, Severity

_VERSION = 1
Key = tuple[str, str, str]  # file, code, message


def write(file: Path, outcome: Outcome) -> None:
    """Writes the findings of a run that are no errors.

    Raises:
        UsageError: The file cannot be written.
    """
    counted = Counter(_key(finding, file) for finding in _known(outcome))
    entries = [
        {"path": path, "code": code, "message": message, "count": count}
        for (path, code, message), count in sorted(counted.items())
    ]
    text = json.dumps({"version": _VERSION, "findings": entries}, indent=2, ensure_ascii=False)
    try:
        file.write_text(text + "\n", encoding="utf-8")
        total = sum(counted.values())
        number = "1 finding" if total == 1 else f"{total} findings"
        outcome.notes.append(f"wrote {number} to {file}; hide them with --baseline {file}")
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"--write-baseline: {file} cannot be written: {reason}") from error


def subtract(file: Path, outcome: Outcome, paths: Sequence[str]) -> None:
    """Removes the findings of a baseline from an outcome, and the changes of a dry run with them.

    Args:
        file: The baseline.
        outcome: What a run found. A note names the number of entries that it no longer has.
        paths: The files and folders that were searched; other entries are not looked for.

    Raises:
        UsageError: The file cannot be read, or is not a baseline.
    """
    known = _read(file)
    new_findings = []
    for finding in outcome.findings:
        key = _key(finding, file)
        # What a run has changed is reported even if it was known.
        is_open = finding.severity is not Severity.ERROR and (
            outcome.dry_run or not finding.applied
        )
        if is_open and known[key] > 0:
            known[key] -= 1
        else:
            new_findings.append(finding)
    outcome.known = len(outcome.findings) - len(new_findings)
    outcome.findings[:] = new_findings
    if outcome.dry_run:
        changing = {finding.path for finding in new_findings if finding.applied}
        outcome.changed[:] = [path for path in outcome.changed if path in changing]
        outcome.rewrites[:] = [r for r in outcome.rewrites if r.display in changing]
        if not outcome.changed:
            outcome.to_install = ""
    if missing := _missing(known, file, paths):
        gone = "1 entry" if missing == 1 else f"{missing} entries"
        how = f"run --write-baseline {file} to update it"
        outcome.notes.append(f"{gone} of the baseline {file} no longer found; {how}")


def _missing(left: Counter[Key], file: Path, paths: Sequence[str]) -> int:
    """Returns how many entries that no finding matched are of files that were searched."""
    folder = file.absolute().parent
    roots = [os.path.normpath(os.path.relpath(path, folder)).replace(os.sep, "/") for path in paths]
    return sum(
        count
        for (path, _, _), count in left.items()
        if any(root == "." or path == root or path.startswith(f"{root}/") for root in roots)
    )


def _known(outcome: Outcome) -> list[Finding]:
    return [finding for finding in outcome.findings if finding.severity is not Severity.ERROR]


def _key(finding: Finding, file: Path) -> Key:
    """Returns what identifies a finding: paths are relative to the folder of the baseline."""
    path = os.path.relpath(finding.path, file.absolute().parent).replace(os.sep, "/")
    return path, finding.code, finding.message


def _read(file: Path) -> Counter[Key]:
    """Returns the findings of a baseline, with how often each is in it.

    Raises:
        UsageError: The file cannot be read, or is not a baseline.
    """
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        if document["version"] != _VERSION:
            raise UsageError(f"--baseline: {file} was written by a newer version of tfmigrate")
        return Counter(
            {(e["path"], e["code"], e["message"]): int(e["count"]) for e in document["findings"]}
        )
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"--baseline: {file} cannot be read: {reason}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"--baseline: {file} is not a baseline; write one with --write-baseline {file}"
        ) from error
