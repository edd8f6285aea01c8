"""The edits of findings, as formats for machines have them: places of the old text, and new text.

A finding's edits are the lines that differ nearest to it. Those of a file belong together, and so
do those of files that import each other: an import that all need is listed with one of them.
"""

import difflib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tfmigrate.engine.outcome import FileTexts, Outcome
from tfmigrate.model.findings import Finding


@dataclass(frozen=True)
class Edit:
    """A replacement of text.

    Attributes:
        start: line and column of the first character, from 1.
        end: line and column after the last one.
        content: what replaces it.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    content: str


def fixes_of(outcome: Outcome) -> dict[int, list[Edit]]:
    """Returns the edits of a dry run by the position of their finding, those that have some.

    Cells of notebooks have none: their lines are not those of the file.
    """
    by_file: dict[str, list[tuple[int, Finding]]] = {}
    for number, finding in enumerate(outcome.findings):
        if finding.applied and not finding.cell:
            by_file.setdefault(finding.path, []).append((number, finding))
    fixes: dict[int, list[Edit]] = {}
    for texts in outcome.texts if outcome.dry_run else ():
        file_findings = by_file.get(texts.source.display, [])
        for edit in _edits(texts) if file_findings else ():
            nearest, _ = min(file_findings, key=lambda each: _distance(each[1], edit))
            fixes.setdefault(nearest, []).append(edit)
    return fixes


def _edits(texts: FileTexts) -> Iterator[Edit]:
    # Not splitlines(), which ends lines at form feeds, too.
    before, after = (list(io.StringIO(t, newline="")) for t in (texts.source.text, texts.after))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, new_first, new_last in matcher.get_opcodes():
        if tag != "equal":
            content = "".join(after[new_first:new_last])
            yield Edit(_at(before, first), _at(before, last), content)


def _at(lines: Sequence[str], index: int) -> tuple[int, int]:
    """Returns the place before a line; after the last one, where the text ends."""
    if index < len(lines) or not lines or lines[-1].endswith(("\r", "\n")):
        return index + 1, 1
    return index, len(lines[-1]) + 1


def _distance(finding: Finding, edit: Edit) -> int:
    last = max(finding.end_line, finding.line)
    return max(edit.start[0] - last, finding.line - max(edit.end[0] - 1, edit.start[0]), 0)
