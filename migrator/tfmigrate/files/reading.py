"""Reads files as text: Python sources, and notebooks as one Python source each."""

import codecs
import re
import stat
from pathlib import Path

from tfmigrate.files.source import LONGEST_LINE, SourceFile, UnreadableFile

# PEP 263: the cookie is in a comment on the first line, or on the second below a comment.
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#.*)?$")
# The line ends of Python's tokenizer; str.splitlines would also split at form feeds and others.
_NEWLINE = re.compile(rb"\r\n|\r|\n")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_bytes(path: Path) -> bytes:
    """Returns the bytes of a regular file.

    Raises:
        UnreadableFile: The file is missing, forbidden or not a regular file.
    """
    try:
        # Opening a pipe would wait for its writer, so the kind is checked first.
        if not stat.S_ISREG(path.stat().st_mode):
            raise UnreadableFile(1, 1, "cannot read the file: not a regular file")
        return path.read_bytes()
    except OSError as error:
        raise UnreadableFile(1, 1, f"cannot read the file: {error.strerror or error}") from error


def _check_lines(data: bytes) -> None:
    """Refuses a file of generated data.

    Raises:
        UnreadableFile: A line is too long.
    """
    if len(data) <= LONGEST_LINE:
        return
    for number, line in enumerate(_NEWLINE.split(data), start=1):
        if len(line) > LONGEST_LINE:
            reason = f"the line has {len(line):,} bytes, and at most {LONGEST_LINE:,} are read"
            advice = "split the line, move its data to a file of another kind, or exclude this file"
            raise UnreadableFile(number, 1, f"{reason}; {advice}")


def decode_source(data: bytes, path: Path, display: str) -> SourceFile:
    """Decodes the bytes of a Python file so that ``encode`` returns the same bytes.

    A file named ``*.ipynb`` is a notebook, whose text is the text of its cells.

    Raises:
        UnreadableFile: The bytes are not text in the encoding that they declare.
    """
    if path.suffix == ".ipynb":
        from tfmigrate.files.notebook import decode_notebook  # few runs have one

        return decode_notebook(data, path, display)
    if data.startswith(_UTF16_MARKS):
        raise UnreadableFile(1, 1, "the file is UTF-16, which Python cannot read; save it as UTF-8")
    _check_lines(data)
    bom = data.startswith(codecs.BOM_UTF8)
    body = data[len(codecs.BOM_UTF8) :] if bom else data
    if b"\0" in body:
        line, column = _position(body, body.index(b"\0"), "utf-8")
        raise UnreadableFile(
            line, column, "the file contains a NUL byte, so it is not Python source"
        )

    cookie, cookie_line = _find_cookie(body)
    encoding = _codec_name(cookie) if cookie else "utf-8"
    if bom and encoding != "utf-8":
        reason = f"the encoding cookie says {cookie}, but the byte order mark says UTF-8"
        raise UnreadableFile(cookie_line, 1, f"{reason}; remove one of them")
    try:
        text = body.decode(encoding)
    except LookupError as error:
        reason = f"unknown encoding {cookie}; correct the encoding cookie"
        raise UnreadableFile(cookie_line, 1, reason) from error
    except UnicodeError as error:
        raise _undecodable(body, encoding, cookie, error) from error
    source = SourceFile(path=path, display=display, text=text, encoding=encoding, bom=bom)
    if not _round_trips(source, data):
        reason = f"the {cookie} text does not round-trip; save the file as UTF-8"
        raise UnreadableFile(cookie_line, 1, reason)
    return source


def _find_cookie(body: bytes) -> tuple[str, int]:
    """Returns the PEP 263 cookie and its line, or an empty cookie and line 1."""
    for number, line in enumerate(_NEWLINE.split(body, maxsplit=2)[:2], start=1):
        if match := _COOKIE.match(line):
            return match.group(1).decode("ascii", "replace"), number
        if not _BLANK_OR_COMMENT.match(line):
            break
    return "", 1


def _codec_name(cookie: str) -> str:
    """Returns the codec of a cookie as CPython reads it (its ``get_normal_name``)."""
    name = cookie.lower().replace("_", "-")
    if name == "utf8" or name == "utf-8" or name.startswith("utf-8-"):
        return "utf-8"
    for latin in ("latin-1", "iso-8859-1", "iso-latin-1"):
        # Emacs appends the line ending, as in latin-1-unix.
        if name == latin or name.startswith(latin + "-"):
            return "iso-8859-1"
    return cookie


def _undecodable(body: bytes, encoding: str, cookie: str, error: UnicodeError) -> UnreadableFile:
    """Describes the first byte that the encoding does not have."""
    start = error.start if isinstance(error, UnicodeDecodeError) else 0
    line, column = _position(body, start, encoding)
    what = f"not valid {encoding.upper()} at byte 0x{body[start]:02x}"
    if cookie:
        remedy = f"correct the encoding cookie ({cookie}) or save the file as {cookie}"
        return UnreadableFile(line, column, f"{what}; {remedy}")
    remedy = "add an encoding cookie (# -*- coding: latin-1 -*-) or save the file as UTF-8"
    return UnreadableFile(line, column, f"{what}; {remedy}")


def _position(body: bytes, offset: int, encoding: str) -> tuple[int, int]:
    """Returns the 1-based line and column (in characters) of a byte."""
    before = _NEWLINE.split(body[:offset])
    return len(before), len(before[-1].decode(encoding, "replace")) + 1


def _round_trips(source: SourceFile, data: bytes) -> bool:
    """Returns whether the text encodes to the bytes it came from; UTF-7 and others need not."""
    try:
        return source.encode(source.text) == data
    except UnicodeError:
        return False
