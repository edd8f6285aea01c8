"""Modes of files and pipes that Python 2 took and Python 3 refuses, in a text of fissix."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tfmigrate.files.logical_lines import split_lines
from tfmigrate.files.source import SourceFile
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.python_2_files import (
    binary_modes_of_csv,
    binary_temporaries,
    text_pipes,
    texts_read_as_bytes,
    unbuffered_texts,
)

_Edit = tuple[int, int, int, bytes]  # line, from its first to its last byte, new bytes


def with_file_modes(text: str) -> str:
    """Returns a text whose files are opened in ways that Python 3 has.

    Files of the module csv are text, whose line ends it writes itself, and those of pickle are not.
    Text always has a buffer: that of a line is next to none.
    """
    if not any(word in text for word in ("open", "check_output", "TemporaryFile")):
        return text
    module = Module(SourceFile(Path("<text>"), "<text>", text, "utf-8", False))
    lines = [line.encode() for line in split_lines(text)]
    for line, start, end, new in sorted(_edits(module, lines), reverse=True):
        lines[line] = lines[line][:start] + new + lines[line][end:]
    return b"".join(lines).decode()


def _edits(module: Module, lines: Sequence[bytes]) -> Iterator[_Edit]:
    for mode in binary_modes_of_csv(module):
        call = module.parent(mode)
        if not isinstance(call, ast.Call) or call.args[-1] is mode:  # a keyword may follow it
            yield _replaced(mode, lines, lambda code: code.replace(b"b", b"") + b', newline=""')
    for buffer in unbuffered_texts(module):
        yield _replaced(buffer, lines, lambda code: b"1")
    for opened in texts_read_as_bytes(module):
        if len(opened.args) > 1:
            yield _replaced(opened.args[1], lines, lambda code: code[:-1] + b"b" + code[-1:])
        else:
            yield from _appended(opened, lines, b'"rb"')
    for started in text_pipes(module):
        yield from _appended(started, lines, b"universal_newlines=True")
    for made in binary_temporaries(module):
        yield from _appended(made, lines, b'mode="w"')


def _replaced(node: ast.expr, lines: Sequence[bytes], change: Callable[[bytes], bytes]) -> _Edit:
    line, start, end = node.lineno - 1, node.col_offset, node.end_col_offset or 0
    return line, start, end, change(lines[line][start:end])


def _appended(call: ast.Call, lines: Sequence[bytes], code: bytes) -> Iterator[_Edit]:
    """Yields the edit that gives a call one more argument; none behind a comment."""
    line, end = (call.end_lineno or 0) - 1, (call.end_col_offset or 0) - 1
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    if not values:
        yield line, end, end, code
        return
    last = max(values, key=lambda value: (value.end_lineno or 0, value.end_col_offset or 0))
    rest = [*lines[(last.end_lineno or 0) - 1 : line], lines[line][:end]]
    rest[0] = rest[0][last.end_col_offset or 0 :]
    behind = b"".join(rest)
    if b"#" not in behind:
        yield line, end, end, (b" " if b"," in behind else b", ") + code
