"""What migrated programs are run with: requirements that are too old, and what to install."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tfmigrate.engine.options import Options
from tfmigrate.files.discover import Candidate, shown
from tfmigrate.files.environments import Requirement, is_environment, outdated
from tfmigrate.model.findings import OUTDATED_REQUIREMENT, Finding, Severity
from tfmigrate.tables.runtime_modules import RUNTIME, VENDORED

_SETUP = "setup.py"


def findings(
    others: Sequence[Path], candidates: Sequence[Candidate], options: Options
) -> Iterator[Finding]:
    """Yields a finding for each requirement of a TensorFlow that is too old for the result.

    Args:
        others: The files of the searched folders that are no programs; setup.py is one.
        candidates: The Python files of the run.
        options: What the user asked for. Nothing is too old for ``--target estimator``.
    """
    if options.target.estimator:
        return
    files = [path for path in others if is_environment(path.name)]
    files += [c.path for c in candidates if c.path.name == _SETUP]
    for path in files:
        if not options.selects(OUTDATED_REQUIREMENT, path):
            continue
        try:
            text = path.read_bytes().decode("utf-8-sig", "replace")
        except OSError:
            continue  # reported where it is a Python file; no other is needed
        for requirement in outdated(text, options.target.version):
            yield _finding(path, requirement, options)


def _finding(path: Path, requirement: Requirement, options: Options) -> Finding:
    version = "{}.{}".format(*options.target.version)
    if requirement.is_image:
        action = f"use an image with TensorFlow {version} or newer"
    elif "gpu" in requirement.text:
        action = f"write tensorflow[and-cuda]>={version}"
    else:
        action = f"write tensorflow>={version}"
    return Finding(
        path=shown(path),
        line=requirement.line,
        column=requirement.column,
        code=OUTDATED_REQUIREMENT,
        severity=Severity.MANUAL,
        message=f"{requirement.text} is too old for migrated programs",
        action=action,
        applied=False,
    )


def to_install(texts: Sequence[str], options: Options) -> str:
    """Returns what to install for migrated programs, as arguments of pip.

    Args:
        texts: The new texts of the files that change.
        options: What the user asked for.
    """
    if options.target.estimator:
        return ""
    uses_runtime = any(RUNTIME in text and VENDORED not in text for text in texts)
    version = "{}.{}".format(*options.target.version)
    return "'tfmigrate-runtime[tensorflow]'" if uses_runtime else f"'tensorflow>={version}'"
