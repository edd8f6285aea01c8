"""Comments that suppress rules on a line or in a file: ``# tfmigrate: ignore[CODE]``."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfmigrate.files.logical_lines import LINE_BREAK
from tfmigrate.model.findings import UNKNOWN_IGNORE, UNUSED_IGNORE, Finding, Severity
from tfmigrate.resolve.module import Module

_MARK = "tfmigrate:"
_COMMENT = re.compile(
    r"#\s*tfmigrate:\s*(?P<kind>ignore-file|ignore)(?![-\w])\s*(?:\[(?P<codes>[^\]]*)\])?"
)


@dataclass(frozen=True)
class Suppression:
    """One such comment.

    Attributes:
        line: Its line in the text, 1-based.
        column: Its column in characters, 1-based.
        codes: The codes or prefixes that it names; empty for all rules.
        whole_file: Whether it applies to the whole file.
    """

    line: int
    column: int
    codes: tuple[str, ...]
    whole_file: bool

    def covers(self, code: str, lines: range) -> bool:
        """Returns whether it suppresses a rule for a construct on these lines."""
        return (self.whole_file or self.line in lines) and (
            not self.codes or code.startswith(self.codes)
        )


class Suppressions:
    """The comments of all files of a run, and which of them were used."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self._of = {
            module: suppressions
            for module in modules
            if (suppressions := _read(module.source.text))
        }
        self._used: set[tuple[Module, Suppression]] = set()

    def suppresses(self, module: Module, node: ast.AST, code: str) -> Suppression | None:
        """Returns the comment that suppresses a rule for a construct, None if there is none."""
        result = None
        for suppression in self._of.get(module, ()):
            if suppression.covers(code, _lines(module, node)):
                self._used.add((module, suppression))
                result = result or suppression
        return result

    def findings(self, known: Sequence[str], selects: Callable[[str, Path], bool]) -> list[Finding]:
        """Returns findings about the comments: unknown codes, and unused comments."""
        comment_findings = []
        for module, suppressions in self._of.items():
            path = module.source.path
            for suppression in suppressions:
                unknown = [code for code in suppression.codes if not _is_prefix(code, known)]
                if unknown and selects(UNKNOWN_IGNORE, path):
                    comment_findings.append(_unknown(module, suppression, unknown))
                elif unknown or not selects(UNUSED_IGNORE, path):
                    continue
                elif (module, suppression) not in self._used and all(
                    selects(code, path) for code in known if _means(suppression, code)
                ):
                    comment_findings.append(_unused(module, suppression))
        return comment_findings


def _is_prefix(code: str, known: Sequence[str]) -> bool:
    return bool(code) and any(rule.startswith(code) for rule in known)


def _means(suppression: Suppression, code: str) -> bool:
    return not suppression.codes or code.startswith(suppression.codes)


def _read(text: str) -> tuple[Suppression, ...]:
    """Returns the comments of a text that parses."""
    if _MARK not in text:
        return ()
    suppressions = []
    # tokenize counts \r\n and \n only; ast counts a lone \r too.
    for token in tokenize.generate_tokens(io.StringIO(LINE_BREAK.sub("\n", text)).readline):
        if token.type != tokenize.COMMENT:
            continue
        for match in _COMMENT.finditer(token.string):
            named = match["codes"]
            codes = () if named is None else tuple(c.strip().upper() for c in named.split(","))
            column = token.start[1] + match.start() + 1
            whole_file = match["kind"] == "ignore-file"
            suppressions.append(Suppression(token.start[0], column, codes, whole_file))
    return tuple(suppressions)


def _lines(module: Module, node: ast.AST) -> range:
    """Returns the lines of a construct; for a block, those of its header."""
    first = module.position(node)[0]
    last = getattr(node, "end_lineno", None) or first
    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        last = max(first, module.position(body[0])[0] - 1)
    return range(first, last + 1)


def _unknown(module: Module, suppression: Suppression, codes: Sequence[str]) -> Finding:
    names = ", ".join(code or "''" for code in codes)
    return _finding(
        module,
        suppression,
        UNKNOWN_IGNORE,
        f"unknown rule code in an ignore comment: {names}",
        "correct the code; `tfmigrate rules` lists all codes",
    )


def _unused(module: Module, suppression: Suppression) -> Finding:
    nothing = f"{', '.join(suppression.codes)} reports nothing" if suppression.codes else ""
    where = "in this file" if suppression.whole_file else "on this line"
    return _finding(
        module,
        suppression,
        UNUSED_IGNORE,
        f"unused ignore comment: {nothing or 'no rule reports anything'} {where}",
        "remove the comment, or move it to the reported line",
    )


def _finding(
    module: Module, suppression: Suppression, code: str, message: str, action: str
) -> Finding:
    cell, line, column = module.source.where(suppression.line, suppression.column)
    return Finding(
        path=module.source.display,
        line=line,
        column=column,
        code=code,
        severity=Severity.MANUAL,
        message=message,
        action=action,
        applied=False,
        cell=cell,
    )
