"""What ``--py2`` does to a file before it is migrated, and the findings about it."""

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
        findings: what was done, or why the file waits.
        converted: whether the file is converted.
    """

    file: SourceFile
    findings: Sequence[Finding]
    converted: bool


def convert(file: SourceFile, unsafe: bool) -> Conversion:
    """Converts a Python 2 file to Python 3.

    Args:
        file: the file, which is not written.
        unsafe: whether divisions of unknown kind may change their results.

    Raises:
        NotPython2: it cannot be read as Python 2, or the result is not valid Python 3.
    """
    result = converted(file.text)
    is_converted = unsafe or not result.open_divisions
    new = replace(file, text=result.text) if is_converted else file
    findings = [_of_division(new, division, is_converted) for division in result.open_divisions]
    if is_converted:
        message = "Python 2 -> Python 3"
        whole = Finding(file.display, 1, 1, PYTHON_2, Severity.FIXED, message, "", True)
        findings.insert(0, _placed(new, whole))
        findings += [_of_pickles(new, call) for call in result.pickles[:1]]
    return Conversion(new, findings, is_converted)


def _of_pickles(file: SourceFile, call: Open) -> Finding:
    finding = Finding(
        path=file.display,
        line=call.line,
        column=call.column,
        code=PYTHON_2,
        severity=Severity.MANUAL,
        message=f"`{call.code}` fails on arrays and non-ASCII texts that Python 2 pickled",
        action='pass encoding="latin1" for arrays, "bytes" for texts, or pickle them again',
        applied=False,
    )
    return _placed(file, finding)


def _of_division(file: SourceFile, division: Open, changed: bool) -> Finding:
    changes = "may have changed" if changed else "may change"
    finding = Finding(
        path=file.display,
        line=division.line if changed else division.original_line,
        column=division.column,
        code=PYTHON_2_DIVISION,
        severity=Severity.UNSAFE,
        message=f"`{division.code}` {changes}: Python 2 drops the remainder of integers, Python 3 "
        "keeps it",
        action="write // if both operands are integers, and float(...) around one if not",
        applied=changed,
    )
    return _placed(file, finding)


def _placed(file: SourceFile, finding: Finding) -> Finding:
    """Returns a finding at its place in the file that the user has, which may be a notebook."""
    cell, line, column = file.where(finding.line, finding.column)
    return replace(finding, cell=cell, line=line, column=column)
