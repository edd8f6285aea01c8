"""What ``--py2`` does to a file before it is migrated, and the findings about it."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tfmigrate.files.source import SourceFile
from tfmigrate.model.findings import PYTHON_2, PYTHON_2_DIVISION, Finding, Severity, in_places
from tfmigrate.py2.convert import Open, converted
from tfmigrate.resolve.module import Module, Position
from tfmigrate.resolve.python_2 import DECODED, python_2_names, signs_of_python_2
from tfmigrate.resolve.python_2_texts import encoded_texts

_REMOVE = "remove encode(), and give open() the encoding where the text is written"


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


def convert(file: SourceFile, unsafe: bool, signs: Sequence[str]) -> Conversion:
    """Converts a Python 2 file to Python 3.

    Args:
        file: the file, which is not written.
        unsafe: whether divisions of unknown kind may change their results.
        signs: what Python 3 can parse of the file, and only Python 2 has. A conversion that leaves
            all of it was made before: another would make lists of lists, and print tuples.

    Raises:
        NotPython2: it cannot be read as Python 2, or the result is not valid Python 3.
    """
    result = converted(file.text, in_notebook=file.path.suffix == ".ipynb")
    if signs and signs_of_python_2(Module(replace(file, text=result.text))) == signs:
        same = replace(file, converted=True)
        return Conversion(same, list(_of_texts(same)), True)
    is_converted = unsafe or not result.open_divisions
    new = replace(file, text=result.text, converted=True) if is_converted else file
    findings = [_of_division(new, division, is_converted) for division in result.open_divisions]
    if is_converted:
        message = "Python 2 -> Python 3"
        whole = Finding(file.display, 1, 1, PYTHON_2, Severity.FIXED, message, "", True)
        findings.insert(0, _placed(new, whole))
        findings += [_of_pickles(new, call) for call in result.pickles[:1]]
        findings += _of_texts(new)
    return Conversion(new, findings, is_converted)


def _of_texts(file: SourceFile) -> Iterator[Finding]:
    """Yields what is left of Python 2, one finding for all texts that are encoded where text is."""
    module = Module(file)
    if left := python_2_names(module):
        shown = ", ".join(dict.fromkeys(name for _, name in left)) + in_places(len(left))
        decoded = {name for _, name in left} == {DECODED}
        action = "remove it: Python 3 decodes texts" if decoded else "replace it: --py2 does not"
        yield _manual(file, module.position(left[0][0]), f"only Python 2 has {shown}", action)
    if encoded := encoded_texts(module):
        code = ast.unparse(encoded[0])
        message = f"`{code}` is bytes in Python 3, and used as text{in_places(len(encoded))}"
        of_base_64 = (module.resolve(encoded[0].func) or "").startswith("base64.")
        action = 'append .decode("ascii")' if of_base_64 else _REMOVE
        yield _manual(file, module.position(encoded[0]), message, action)


def _of_pickles(file: SourceFile, call: Open) -> Finding:
    message = f"`{call.code}` fails on arrays and non-ASCII texts that Python 2 pickled"
    action = 'pass encoding="latin1" for arrays, "bytes" for texts, or pickle them again'
    return _manual(file, (call.line, call.column), message, action)


def _manual(file: SourceFile, place: Position, message: str, action: str) -> Finding:
    severity = Severity.MANUAL
    return _placed(file, Finding(file.display, *place, PYTHON_2, severity, message, action, False))


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
