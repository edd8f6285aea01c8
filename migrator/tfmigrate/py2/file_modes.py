"""Modes of files that Python 2 took and Python 3 refuses, in a text that fissix converted."""

from __future__ import annotations

import ast
from pathlib import Path

from tfmigrate.files.logical_lines import split_lines
from tfmigrate.files.source import SourceFile
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.python_2 import binary_modes_of_csv, unbuffered_texts


def with_file_modes(text: str) -> str:
    """Returns a text whose files are opened in ways that Python 3 has.

    Files of the module csv are text, whose line ends it writes itself. Text always has a buffer:
    that of a line is next to none.
    """
    if "open" not in text:
        return text
    module = Module(SourceFile(Path("<text>"), "<text>", text, "utf-8", False))
    modes = {mode for mode in binary_modes_of_csv(module) if _is_last(module, mode)}
    lines = [line.encode() for line in split_lines(text)]
    for node in sorted((*modes, *unbuffered_texts(module)), key=module.position, reverse=True):
        line, start, end = lines[node.lineno - 1], node.col_offset, node.end_col_offset
        code = line[start:end].replace(b"b", b"") + b', newline=""' if node in modes else b"1"
        lines[node.lineno - 1] = line[:start] + code + line[end:]
    return b"".join(lines).decode()


def _is_last(module: Module, mode: ast.Constant) -> bool:
    """Returns whether a keyword may follow the mode that a call gets."""
    call = module.parent(mode)
    return not isinstance(call, ast.Call) or call.args[-1] is mode
