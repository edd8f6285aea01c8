"""Modes of files and pipes that Python 2 took and Python 3 refuses, in a text of fissix."""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from tfmigrate.files.logical_lines import split_lines
from tfmigrate.files.source import SourceFile
from tfmigrate.resolve import python_2_files
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.module import Module

_Edit = tuple[int, int, int, bytes]  # line, from its first to its last byte, new bytes


def with_file_modes(text: str) -> str:
    """Returns a text whose files are opened in ways that Python 3 has.

    Files of the module csv are text, whose line ends it writes itself, and those of pickle are not.
    Text always has a buffer: that of a line is next to none.
    """
    if not any(word in text for word in ("open", "Open", "check_output", "GFile", "TemporaryFile")):
        return text
    module = Module(SourceFile(Path("<text>"), "<text>", text, "utf-8", False))
    lines = [line.encode() for line in split_lines(text)]
    for line, start, end, new in sorted(_edits(module, lines), reverse=True):
        lines[line] = lines[line][:start] + new + lines[line][end:]
    return b"".join(lines).decode()


def _edits(module: Module, lines: Sequence[bytes]) -> Iterator[_Edit]:
    for opened in python_2_files.binary_files_of_csv(module):
        mode = argument(opened, 1, "mode")
        newline = b', newline=""' if python_2_files.takes_newlines(module, opened) else b""
        text = b"t" if python_2_files.is_zipped(module, opened) else b""
        if mode is None and len(opened.args) == 1 and not opened.keywords:
            yield from _appended(opened, lines, b'"rt"' + newline)
        # A keyword may follow a mode that is one, or the last argument.
        elif mode is not None and (mode not in opened.args or opened.args[-1] is mode):
            code = _code(mode, lines).replace(b"b", b"")
            yield _replaced(mode, code[:-1] + text + code[-1:] + newline)
    yield from (_replaced(buffer, b"1") for buffer in python_2_files.unbuffered_texts(module))
    for opened in python_2_files.texts_read_as_bytes(module):
        if len(opened.args) > 1:
            code = _code(opened.args[1], lines)
            yield _replaced(opened.args[1], code[:-1] + b"b" + code[-1:])
        else:
            yield from _appended(opened, lines, b'"rb"')
    for started in python_2_files.text_pipes(module):
        yield from _appended(started, lines, b"universal_newlines=True")
    for temporary in python_2_files.binary_temporaries(module):
        yield from _appended(temporary, lines, b'mode="w"')


def _code(node: ast.expr, lines: Sequence[bytes]) -> bytes:
    return lines[node.lineno - 1][node.col_offset : node.end_col_offset]


def _replaced(node: ast.expr, new: bytes) -> _Edit:
    return node.lineno - 1, node.col_offset, node.end_col_offset or 0, new


def _appended(call: ast.Call, lines: Sequence[bytes], code: bytes) -> Iterator[_Edit]:
    """Yields the edit that gives a call one more argument; none behind a comment."""
    line, end = (call.end_lineno or 0) - 1, (call.end_col_offset or 0) - 1
    if not (values := [*call.args, *(keyword.value for keyword in call.keywords)]):
        yield line, end, end, code
        return
    last = max(values, key=lambda value: (value.end_lineno or 0, value.end_col_offset or 0))
    following = [*lines[(last.end_lineno or 0) - 1 : line], lines[line][:end]]
    following[0] = following[0][last.end_col_offset or 0 :]
    behind = b"".join(following)
    if b"#" not in behind:
        yield line, end, end, (b" " if b"," in behind else b", ") + code
