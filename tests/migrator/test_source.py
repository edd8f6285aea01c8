from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.files.source import SourceFile, UnreadableFile


def decode(data: bytes) -> SourceFile:
    return decode_source(data, Path("x.py"), "x.py")


def refusal(data: bytes) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as caught:
        decode(data)
    return caught.value


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"x = 1",
        b"x = 1\r\ny = 2\r\n",
        b"x = 1\ny = 2\r\nz = 3\r",
        b"x = 1\x0cy = 2\n",
        codecs.BOM_UTF8 + b"x = 1\n",
        codecs.BOM_UTF8 + b"# coding: utf-8\nx = 1\n",
        "# caf\u00e9 \u2028 \U0001f600\n".encode(),
        b"# -*- coding: latin-1 -*-\nname = 'caf\xe9'\n",
        b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\nname = '\x80'\n",
        "# coding: shift_jis\nname = '\u65e5\u672c'\n".encode("shift_jis"),
    ],
)
def test_encode_gives_back_the_bytes_that_were_read(data: bytes) -> None:
    source = decode(data)
    assert source.encode(source.text) == data


def test_newlines_stay_in_the_text_and_the_byte_order_mark_does_not() -> None:
    source = decode(codecs.BOM_UTF8 + b"x = 1\r\ny = 2\n")
    assert (source.text, source.bom, source.encoding) == ("x = 1\r\ny = 2\n", True, "utf-8")


@pytest.mark.parametrize(
    ("first_line", "encoding"),
    [
        (b"# -*- coding: latin-1 -*-", "iso-8859-1"),
        (b"# -*- coding: latin-1-unix -*-", "iso-8859-1"),
        (b"# -*- coding: Latin_1 -*-", "iso-8859-1"),
        (b"# vim: set fileencoding=UTF8 :", "utf-8"),
        (b"# coding: utf-8-unix", "utf-8"),
        (b"# coding: cp1252", "cp1252"),
        (b"\xff = 'coding: latin-1'", None),  # code, not a comment
        (b"'''", "utf-8"),
    ],
)
def test_the_cookie_is_read_as_python_reads_it(first_line: bytes, encoding: str | None) -> None:
    data = first_line + b"\nx = 1\n"
    if encoding is None:
        assert "not valid UTF-8" in refusal(data).reason
    else:
        assert decode(data).encoding == encoding


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_a_cookie_counts_in_the_second_line_but_not_in_the_third(newline: bytes) -> None:
    second = newline.join([b"#!/bin/sh", b"# coding: latin-1", b"'\xe9'", b""])
    assert decode(second).encoding == "iso-8859-1"
    below_code = newline.join([b"x = 1", b"# coding: latin-1", b"'\xe9'", b""])
    assert refusal(below_code).line == 3
    third = newline.join([b"#", b"#", b"# coding: latin-1", b"'\xe9'", b""])
    assert refusal(third).line == 4


def test_latin_1_without_a_cookie_is_refused_with_place_and_remedy() -> None:
    error = refusal("x = 1\r\n# Stra\u00dfe \u00e4 \u00e9\n".encode("latin-1"))
    assert (error.line, error.column) == (2, 7)
    assert error.reason == (
        "not valid UTF-8 at byte 0xdf; add an encoding cookie (# -*- coding: latin-1 -*-) "
        "or save the file as UTF-8"
    )


def test_the_column_counts_characters_not_bytes() -> None:
    error = refusal("n = '\u00e9\u65e5".encode() + b"\xff'\n")
    assert (error.line, error.column) == (1, 8)


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"# coding: klingon\n", 1, "unknown encoding klingon"),
        (b"#\n# coding: rot13\n", 2, "unknown encoding rot13"),
        (b"# coding: ascii\nx = '\xe9'\n", 2, "correct the encoding cookie (ascii)"),
        (b"# coding: utf-7\nx = '+AGE-'\n", 1, "does not round-trip"),
        (codecs.BOM_UTF8 + b"# coding: latin-1\n", 1, "the byte order mark says UTF-8"),
        ("x = 1\n".encode("utf-16"), 1, "UTF-16"),
        (b"x = 1\ny = '\0'\n", 2, "NUL byte"),
    ],
)
def test_what_python_would_not_read_is_refused(data: bytes, line: int, words: str) -> None:
    error = refusal(data)
    assert error.line == line
    assert words in error.reason
    assert "\n" not in error.reason


def test_a_character_the_encoding_lacks_cannot_be_encoded() -> None:
    with pytest.raises(UnicodeEncodeError):
        decode(b"# coding: latin-1\n").encode("\u20ac")


def test_reading_follows_links_and_keeps_the_shown_path(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_bytes(b"x = 1\r\n")
    (tmp_path / "link.py").symlink_to("real.py")
    source = decode_source(read_bytes(tmp_path / "link.py"), tmp_path / "link.py", "shown/link.py")
    assert (source.text, source.display) == ("x = 1\r\n", "shown/link.py")
    assert source.path == tmp_path / "link.py"


def test_a_file_that_may_not_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret.py"
    path.write_text("x = 1\n")

    def forbid(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", forbid)  # root may read everything
    with pytest.raises(UnreadableFile, match="cannot read the file: Permission denied") as caught:
        decode_source(read_bytes(path), path, "secret.py")
    assert (caught.value.line, caught.value.column) == (1, 1)


def test_a_pipe_is_refused_without_waiting_for_its_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(UnreadableFile, match="not a regular file"):
        decode_source(read_bytes(tmp_path / "pipe.py"), tmp_path / "pipe.py", "pipe.py")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="No such file"):
        decode_source(read_bytes(tmp_path / "gone.py"), tmp_path / "gone.py", "gone.py")


# Characters that each encoding has; some have several spellings in the Asian ones.
ALPHABETS = {
    "utf-8": "a#\x0c\u00e9\u2028\u65e5\U0001f600",
    "latin-1": "a#\x0c\x85\xe9\xff",
    "cp1252": "a#\x0c\u20ac\u0178",
    "koi8-r": "a#\x0c\u0434\u2588",
    "ascii": "a#\x0c\x1c",
    "shift_jis": "a#\u65e5\uff71\u2252",
    "cp932": "a#\u65e5\u2252\u222a\u2170",
    "euc-kr": "a#\ud55c\u3131",
    "gb18030": "a#\u20ac\u4e2d\U0001f600",
    "iso2022_jp": "a#\u65e5\u3042",
}


@st.composite
def source_bytes(draw: st.DrawFn) -> bytes:
    encoding = draw(st.sampled_from(sorted(ALPHABETS)))
    characters = st.sampled_from(ALPHABETS[encoding])
    newlines = st.sampled_from(["\n", "\r\n", "\r"])
    lines = draw(st.lists(st.tuples(st.text(characters, max_size=8), newlines), max_size=8))
    last = draw(st.text(characters, max_size=8))
    text = f"# coding: {encoding}\n" + "".join(a + b for a, b in lines) + last
    bom = codecs.BOM_UTF8 if encoding == "utf-8" and draw(st.booleans()) else b""
    return bom + text.encode(encoding)


@given(source_bytes())
def test_decoding_and_encoding_is_the_identity_or_a_refusal(data: bytes) -> None:
    try:
        source = decode(data)
    except UnreadableFile as error:
        # Some codecs have several spellings of a character; they are refused, never rewritten.
        assert "does not round-trip" in error.reason
        return
    assert source.encode(source.text) == data


@given(st.text(st.sampled_from("a\r\n\x0b\x0c\x1c\u0085\u2028\u00e9\U0001f600 "), max_size=40))
def test_every_mix_of_line_separators_survives(text: str) -> None:
    data = text.encode()
    source = decode(data)
    assert (source.text, source.encode(source.text)) == (text, data)


@given(st.binary(max_size=60))
def test_any_bytes_are_decoded_faithfully_or_refused_in_one_line(data: bytes) -> None:
    try:
        source = decode(data)
    except UnreadableFile as error:
        assert error.line >= 1
        assert error.column >= 1
        assert "\n" not in error.reason
        return
    assert source.encode(source.text) == data
