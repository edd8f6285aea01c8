"""Unified diffs that ``git apply`` and ``patch -p1`` take, byte for byte."""

import difflib
import os

# What git writes in quotes in a file name, with its escapes (git-config(1), core.quotePath).
_ESCAPES = {ord(char): f"\\{char}" for char in '"\\'} | {9: "\\t", 10: "\\n", 13: "\\r"}


def unified_diff(display: str, before: bytes, after: bytes) -> bytes:
    r"""Returns the diff of one file, empty where nothing differs.

    Lines end at ``\n`` as git sees them, so carriage returns and other encodings pass through.

    Args:
        display: The file's path; outside of the current folder it is given from the root, without
            the leading slash, as in git's own diffs (``patch -p1 -d /`` takes it).
        before: The bytes on disk.
        after: The bytes that would be written.
    """
    # No patch tool follows "..": such a path is given from the root of the file system.
    name = os.path.abspath(display) if ".." in display.split("/") else display  # noqa: PTH100
    name = name.lstrip("/")
    lines = difflib.diff_bytes(
        difflib.unified_diff,
        _lines(before),
        _lines(after),
        _header(f"a/{name}"),
        _header(f"b/{name}"),
        lineterm=b"\n",
    )
    marker = b"\n\\ No newline at end of file\n"
    return b"".join(line if line.endswith(b"\n") else line + marker for line in lines)


def _lines(data: bytes) -> list[bytes]:
    r"""Splits after every ``\n`` and nowhere else."""
    pieces = data.split(b"\n")
    lines = [piece + b"\n" for piece in pieces[:-1]]
    return [*lines, pieces[-1]] if pieces[-1] else lines


def _header(name: str) -> bytes:
    """Returns a file name as it is written in a header line."""
    if any(char < " " or char in '"\\\x7f' for char in name):
        quoted = "".join(
            _ESCAPES.get(ord(char)) or (char if char >= " " else f"\\{ord(char):03o}")
            for char in name
        )
        name = f'"{quoted}"'
    elif " " in name:
        name += "\t"  # ends a name with spaces, as diff(1) and git write it
    return name.encode("utf-8", "surrogateescape")
