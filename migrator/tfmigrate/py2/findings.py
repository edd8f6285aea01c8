"""What ``--py2`` does to a file before it is migrated, and what is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tfmigrate.files.source import SourceFile
from tfmigrate.model.findings import PYTHON_2, PYTHON_2_DIVISION, Finding, Severity
from tfmigrate.py2.convert import Open, converted


@dataclass(frozen=True)
class Conversion:
    """A Python 2 file on its way to Python 3.

    Attributes:
        file: the file with its new text; the old one where it must wait for ``--unsafe``.
        findings: what was done, or what it waits for.
        made: whether the file is converted.
    """

    file: SourceFile
    findings: Sequence[Finding]
    made: bool


def convert(file: SourceFile, unsafe: bool) -> Conversion:
    """Turns a Python 2 file into Python 3.

    Args:
        file: the file, which is not written.
        unsafe: whether divisions of unknown kind may keep their remainder from now on.

    Raises:
        NotPython2: it cannot be read as Python 2, or what it becomes is no Python 3.
    """
    result = converted(file.text)
    made = unsafe or not result.open_divisions
    new = replace(file, text=result.text) if made else file
    findings = [_finding(new, division, made) for division in result.open_divisions]
    if made:
        message = "Python 2 turned into Python 3"
        whole = Finding(file.display, 1, 1, PYTHON_2, Severity.FIXED, message, "", True)
        cell, line, column = new.where(1, 1)
        findings.insert(0, replace(whole, cell=cell, line=line, column=column))
    return Conversion(new, findings, made)


def _finding(file: SourceFile, division: Open, made: bool) -> Finding:
    line = division.line if made else division.original_line
    cell, line, column = file.where(line, division.column)
    keeps = "now keeps the remainder" if made else "would keep the remainder"
    return Finding(
        path=file.display,
        line=line,
        column=column,
        code=PYTHON_2_DIVISION,
        severity=Severity.UNSAFE,
        message=f"`{division.code}` {keeps} that Python 2 drops where both sides are integers",
        action="write // where both are integers, float(...) around one where they are not",
        applied=made,
        cell=cell,
    )
