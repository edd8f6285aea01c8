"""Comments that keep rules off a line or a file: ``# tfmigrate: ignore[CODE]``."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

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
        whole_file: Whether it is meant for the whole file.
    """

    line: int
    column: int
    codes: tuple[str, ...]
    whole_file: bool

    def covers(self, code: str, lines: range) -> bool:
        """Says whether it keeps a rule off a construct that stands on these lines."""
        return (self.whole_file or self.line in lines) and (
            not self.codes or code.startswith(self.codes)
        )


class Suppressions:
    """The comments of all files of a run, and which of them were of use."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self._of = {module: found for module in modules if (found := _read(module.source.text))}
        self._used: set[tuple[Module, Suppression]] = set()

    def suppresses(self, module: Module, node: ast.AST, code: str) -> Suppression | None:
        """Returns the comment that keeps a rule off a construct, None where there is none."""
        result = None
        for suppression in self._of.get(module, ()):
            if suppression.covers(code, _lines(module, node)):
                self._used.add((module, suppression))
                result = result or suppression
        return result

    def findings(self, known: Sequence[str], selects: Callable[[str], bool]) -> list[Finding]:
        """Returns what is to be told of the comments: codes that no rule has, and useless ones.

        Args:
            known: The codes of all rules.
            selects: Says whether a rule takes part in the run.
        """
        found = []
        for module, suppressions in self._of.items():
            for suppression in suppressions:
                strange = [code for code in suppression.codes if not _is_prefix(code, known)]
                if strange and selects(UNKNOWN_IGNORE):
                    found.append(_unknown(module, suppression, strange))
                elif strange or not selects(UNUSED_IGNORE):
                    continue
                elif (module, suppression) not in self._used and all(
                    selects(code) for code in known if _means(suppression, code)
                ):
                    found.append(_unused(module, suppression))
        return found


def _is_prefix(code: str, known: Sequence[str]) -> bool:
    return bool(code) and any(rule.startswith(code) for rule in known)


def _means(suppression: Suppression, code: str) -> bool:
    return not suppression.codes or code.startswith(suppression.codes)


def _read(text: str) -> tuple[Suppression, ...]:
    """Returns the comments of a text that parses."""
    if _MARK not in text:
        return ()
    found = []
    # tokenize counts \r\n and \n only; ast counts a lone \r as well.
    lines = io.StringIO(LINE_BREAK.sub("\n", text))
    for token in tokenize.generate_tokens(lines.readline):
        if token.type != tokenize.COMMENT:
            continue
        for match in _COMMENT.finditer(token.string):
            named = match["codes"]
            codes = () if named is None else tuple(c.strip().upper() for c in named.split(","))
            column = token.start[1] + match.start() + 1
            whole_file = match["kind"] == "ignore-file"
            found.append(Suppression(token.start[0], column, codes, whole_file))
    return tuple(found)


def _lines(module: Module, node: ast.AST) -> range:
    """Returns the lines of a construct: of a block, those of its head."""
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
        f"this comment ignores {names}, which no rule has",
        "correct the code: `tfmigrate rules` lists them",
    )


def _unused(module: Module, suppression: Suppression) -> Finding:
    what = ", ".join(suppression.codes) or "every rule"
    where = "in this file" if suppression.whole_file else "on this line"
    return _finding(
        module,
        suppression,
        UNUSED_IGNORE,
        f"this comment ignores {what}, and nothing is found {where}",
        "remove the comment, or put it on the line that is reported",
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
