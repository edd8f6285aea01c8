"""Continuation lines that were aligned with an opening bracket, after edits that moved it."""

import ast
import difflib
from collections.abc import Sequence

from tfmigrate.files.logical_lines import Bracket, Inside, LineScanner, split_lines


def realigned(old: str, new: str) -> str:
    """Returns a new text whose continuation lines are aligned as they were in the old one.

    A line within brackets that began below the first argument still does, and a closing bracket
    that stood below the opening one as well. A line behind a backslash moves as the one before it
    did. Nothing else moves.
    """
    old_lines, new_lines = split_lines(old), split_lines(new)
    origin = _origins(old_lines, new_lines)
    edited = {row for row, of in origin.items() if new_lines[row] != old_lines[of]}
    before = _open_after(old_lines)
    behind = _behind_backslashes(old_lines, new_lines, origin)
    if not behind and not any(before[origin[row]] for row in edited):
        return new
    result = _moved(old_lines, before, new_lines, origin, behind)
    if result == new_lines or _strings("".join(result)) != _strings(new):
        return new
    return "".join(result)


def _origins(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Returns which old line a new one was; lines that were put in have none."""
    old_by_new: dict[int, int] = {}
    for _, start, end, first, last in difflib.SequenceMatcher(None, old, new).get_opcodes():
        old_by_new.update(zip(range(first, last), range(start, end), strict=False))
    return old_by_new


def _behind_backslashes(
    old: Sequence[str], new: Sequence[str], origin: dict[int, int]
) -> dict[int, int]:
    """Returns how far the line before each new line was indented that stayed behind a backslash."""
    behind: dict[int, int] = {}
    for row, of in sorted(origin.items()):
        if not row or not of or new[row] != old[of]:
            continue
        before, now = old[of - 1], new[row - 1]
        has_moved = row - 1 in behind or now != before
        if has_moved and before.strip() == now.strip() and now.strip().endswith("\\"):
            behind[row] = _indented(before)
    return behind


def _indented(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _open_after(lines: Sequence[str]) -> list[tuple[Bracket, ...]]:
    """Returns the brackets that are open behind each line."""
    scanner = LineScanner()
    open_brackets = []
    for line in lines:
        scanner.read(line)
        open_brackets.append(scanner.brackets)
    return open_brackets


def _moved(
    old: Sequence[str],
    before: Sequence[tuple[Bracket, ...]],
    lines: Sequence[str],
    origin: dict[int, int],
    behind: dict[int, int],
) -> list[str]:
    scanner = LineScanner()
    result: list[str] = []
    same: dict[Bracket, Bracket] = {}  # of each open bracket, the one that it was
    for row, line in enumerate(lines):
        if row in behind and scanner.inside is Inside.STATEMENT and line.startswith(" "):
            column = _indented(line) + _indented(result[-1]) - behind[row]
            line = " " * column + line.lstrip(" ")
        elif scanner.inside is Inside.STATEMENT and scanner.brackets:
            bracket = scanner.brackets[-1]
            line = _aligned(line, same.get(bracket), bracket)
        result.append(line)
        scanner.read(line)
        if row in origin:
            opened_then = [b for b in before[origin[row]] if b.row == origin[row]]
            opened_now = [b for b in scanner.brackets if b.row == row]
            # Brackets are paired only where the line opens as many as it did, or ends as it did.
            if len(opened_then) == len(opened_now):
                same.update(zip(opened_now, opened_then, strict=True))
            elif opened_then and opened_now:
                then, now = opened_then[-1], opened_now[-1]
                if old[origin[row]][then.content :] == line[now.content :]:
                    same[now] = then
    return result


def _aligned(line: str, was: Bracket | None, now: Bracket) -> str:
    """Returns a line in the innermost bracket where it belongs, now that the bracket moved."""
    column = _indented(line)
    if was is None or line[column : column + 1] in ("\t", "\r", "\n", ""):
        return line
    if was.content is not None and now.content is not None and column == was.content:
        return " " * now.content + line[column:]
    if line[column] in ")]}" and column == was.column:
        return " " * now.column + line[column:]
    return line


def _strings(text: str) -> list[object]:
    """Returns the strings of a text in their order: white space in them must not change."""
    return [
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    ]
