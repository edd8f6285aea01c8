"""From a file to its module; Python 2 files are converted first, with ``--py2``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tfmigrate.files.quiet_parse import compiled
from tfmigrate.files.source import SourceFile
from tfmigrate.model.findings import UNPARSABLE_FILE, Finding, Severity
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.python_2 import needs_python_3, signs_of_python_2

_PYTHON_2 = re.compile(
    r"^\s*print\s+[^=(\s]|^\s*print\s*>>|^\s*except\s+[\w.() ,]+,\s*\w+\s*:|^\s*exec\s+['\"\w]"
    r"|\.\s*async\b|\bdef\s+async\b|\basync\s*=|^\s*raise\s+[\w.]+\s*,|\bur['\"]|<>|`|\b0[0-7]+\b"
    r"|\b(?:0[xX][\da-fA-F]+|\d+)[lL]\b|\[[^\[\]]*\bfor\b[^\[\]]*\bin\b[^\[\]()]*,[^\[\]]*\]"
    r"|^\s*def\s+\w+\s*\((?:[\w\s,]*,\s*)?\(|\blambda\s*(?:[\w\s,]*,\s*)?\(\s*\w+\s*,",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Parsed:
    """The result of parsing one file.

    Attributes:
        module: the module, None where the file is left out of the run. Its ``source`` differs from
            the file's where the file was converted to Python 3.
        findings: what to report about that.
    """

    module: Module | None
    findings: Sequence[Finding] = ()


def parse(file: SourceFile, py2: bool = False, unsafe: bool = False) -> Parsed:
    """Parses a file.

    Args:
        file: the file, decoded.
        py2: whether to convert a Python 2 file to Python 3 first, which needs fissix.
        unsafe: whether to convert it even if that may change the results of divisions.
    """
    try:
        module = Module(file)
        compiled(module.tree, in_notebook=file.path.suffix == ".ipynb")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if file.path.suffix == ".ipynb" and "tensorflow" not in file.text:
            return Parsed(None)  # only the output of a cell names it
        if not py2:
            return Parsed(None, [_unreadable(file, error)])
        from tfmigrate.py2.convert import NotPython2

        try:
            return _converted(file, unsafe)
        except NotPython2 as reason:
            return Parsed(None, [_unreadable(file, error, f"; --py2 failed: {reason}")])
    if not py2 or file.converted:
        return Parsed(module)
    from tfmigrate.py2.convert import NotPython2

    signs = signs_of_python_2(module)
    # What was asked of the module above it remembers, and it knew no name of other files.
    as_it_is = Parsed(Module(file))
    if not signs or needs_python_3(module):
        return as_it_is
    try:
        return _converted(file, unsafe, signs)
    except NotPython2:
        return as_it_is  # Python 3 reads it


def _converted(file: SourceFile, unsafe: bool, signs: Sequence[str] = ()) -> Parsed:
    """Converts a file to Python 3; ``signs`` make one that Python 3 can parse one of Python 2.

    Raises:
        NotPython2: it cannot be converted.
    """
    from tfmigrate.py2.findings import convert

    conversion = convert(file, unsafe, signs)
    return Parsed(Module(conversion.file) if conversion.converted else None, conversion.findings)


def _unreadable(file: SourceFile, error: Exception, more: str = "") -> Finding:
    line = getattr(error, "lineno", None) or 1
    column = getattr(error, "offset", None) or 1
    reason = error.msg if isinstance(error, SyntaxError) else str(error)
    reason = reason or "nested too deeply"  # a MemoryError has no message
    action = "fix the syntax error, then run tfmigrate again"
    if (
        not more
        and isinstance(error, SyntaxError)
        and _looks_like_python_2(file.text, line, reason)
    ):
        reason = f"Python 2 syntax ({reason})"
        action = "convert it to Python 3 with --py2"
    cell, line, column = file.where(line, max(column, 1))
    return Finding(
        path=file.display,
        line=line,
        column=column,
        code=UNPARSABLE_FILE,
        severity=Severity.ERROR,
        message=f"cannot be parsed: {reason}{more}",
        action=action,
        applied=False,
        cell=cell,
    )


def _looks_like_python_2(text: str, line: int, reason: str) -> bool:
    signs = ("Missing parentheses in call to", "leading zeros", "inconsistent use of tabs")
    if any(sign in reason for sign in signs):
        return True
    return bool(_PYTHON_2.search("\n".join(text.splitlines()[max(line - 2, 0) : line])))
