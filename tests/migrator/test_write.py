from __future__ import annotations

import codecs
import errno
import os
import stat
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest

from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.files.source import SourceFile
from tfmigrate.files.temporary_files import clean_up
from tfmigrate.files.write import UnwritableFile, write_source


def source_of(path: Path, data: bytes) -> SourceFile:
    path.write_bytes(data)
    return decode_source(read_bytes(path), path, path.name)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_refused(source: SourceFile, text: str, words: str) -> UnwritableFile:
    """Asserts that nothing is written and nothing is left in the folder."""
    before, listing = source.path.read_bytes(), names_in(source.path.parent)
    with pytest.raises(UnwritableFile) as caught:
        write_source(source, text)
    assert words in caught.value.reason
    assert "\n" not in caught.value.reason
    assert source.path.read_bytes() == before
    assert names_in(source.path.parent) == listing
    return caught.value


def test_a_file_whose_text_stays_is_not_touched(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")
    before = source.path.stat()
    assert write_source(source, source.text) is False
    after = source.path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize(
    "data",
    [
        b"x = 1\r\ny = 2\r\n",
        b"x = 1\r\ny = 2\nz = 3\r",
        codecs.BOM_UTF8 + b"x = 1\n",
        b"# coding: latin-1\nx = 1  # caf\xe9",
    ],
)
def test_only_the_changed_bytes_change(tmp_path: Path, data: bytes) -> None:
    source = source_of(tmp_path / "a.py", data)
    assert write_source(source, source.text.replace("x = 1", "x = 10")) is True
    assert source.path.read_bytes() == data.replace(b"x = 1", b"x = 10")
    assert names_in(tmp_path) == ["a.py"]


@pytest.mark.parametrize("mode", [0o755, 0o640, 0o600, 0o664])
def test_the_mode_is_kept_and_the_time_is_that_of_the_change(tmp_path: Path, mode: int) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")
    source.path.chmod(mode)
    os.utime(source.path, (1, 1))
    write_source(source, "x = 2\n")
    status = source.path.stat()
    assert stat.S_IMODE(status.st_mode) == mode
    assert status.st_mtime > 1


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.py").write_bytes(b"x = 1\n")
    (tmp_path / "hop.py").symlink_to("real/a.py")
    (tmp_path / "link.py").symlink_to("hop.py")
    write_source(
        decode_source(read_bytes(tmp_path / "link.py"), tmp_path / "link.py", "link.py"), "x = 2\n"
    )
    assert (tmp_path / "link.py").readlink() == Path("hop.py")
    assert (tmp_path / "hop.py").readlink() == Path("real/a.py")
    assert (tmp_path / "real" / "a.py").read_bytes() == b"x = 2\n"


def test_text_that_is_not_python_is_never_written(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")
    error = assert_refused(source, "x = 1\nx = (\n", "does not parse")
    assert error.line == 2


def test_warnings_about_the_users_own_code_are_not_shown(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.py", b"x = '\\d'\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert write_source(source, "x = '\\d+'\n")


def test_a_character_the_encoding_lacks_leaves_the_file_alone(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.py", b"# coding: latin-1\nx = '\xe9'\n")
    text = "# coding: latin-1\nx = '\u00e9\u20ac'\n"
    error = assert_refused(source, text, "iso-8859-1 has no character '\\u20ac'")
    assert (error.line, error.column) == (2, 7)


def test_a_read_only_file_is_left_alone_even_for_root(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")
    source.path.chmod(0o444)
    assert_refused(source, "x = 2\n", "the file is read-only")


def test_a_file_this_user_may_not_write_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everything
    assert_refused(source, "x = 2\n", "the file is read-only")


def test_a_read_only_folder_leaves_the_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")

    def forbid(**kwargs: Any) -> tuple[int, str]:
        raise PermissionError(errno.EACCES, "Permission denied", str(kwargs["dir"]))

    monkeypatch.setattr(tempfile, "mkstemp", forbid)  # root may write to every folder
    assert_refused(source, "x = 2\n", "not written: Permission denied")


def test_a_full_disk_leaves_the_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert_refused(source, "x = 2\n", "No space left on device")


def test_a_failing_replace_leaves_the_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")

    def fail(self: Path, target: Path) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    monkeypatch.setattr(Path, "replace", fail)
    assert_refused(source, "x = 2\n", "Device or resource busy")


def test_an_interrupt_leaves_the_file_alone_and_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")

    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_source(source, "x = 2\n")
    assert source.path.read_bytes() == b"x = 1\n"
    assert names_in(tmp_path) == ["a.py"]


def test_a_file_that_changed_meanwhile_keeps_that_change(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")
    source.path.write_bytes(b"x = 1  # saved by an editor\n")
    assert_refused(source, "x = 2\n", "changed while tfmigrate was running")


def test_a_file_that_went_away_meanwhile_does_not_come_back(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")
    source.path.unlink()
    with pytest.raises(UnwritableFile, match="No such file"):
        write_source(source, "x = 2\n")
    assert names_in(tmp_path) == []


def _own_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes new files look as if they had another owner than the old ones."""
    real = os.fstat

    def fstat(descriptor: int) -> os.stat_result:
        fields = list(real(descriptor))
        fields[stat.ST_UID] += 1
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fstat", fstat)


def test_an_owner_that_cannot_be_kept_leaves_the_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")
    _own_by_another(monkeypatch)

    def forbid(descriptor: int, user: int, group: int) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", forbid)  # root may give files away
    assert_refused(source, "x = 2\n", "owner of the file would change (Operation not permitted)")


def test_the_owner_is_given_back_where_it_would_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")
    status = source.path.stat()
    _own_by_another(monkeypatch)
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "fchown", lambda fd, user, group: given.append((user, group)))
    write_source(source, "x = 2\n")
    assert given == [(status.st_uid, status.st_gid)]


def test_no_owner_is_set_where_none_would_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")

    def forbid(descriptor: int, user: int, group: int) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", forbid)
    assert write_source(source, "x = 2\n") is True


@pytest.mark.parametrize("text", ["x = 2\n", "x = 1\ny = 2\n", ""])
def test_hard_links_stay_links(tmp_path: Path, text: str) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1  # long\n")
    (tmp_path / "b.py").hardlink_to(tmp_path / "a.py")
    write_source(source, text)
    assert (tmp_path / "a.py").read_text() == (tmp_path / "b.py").read_text() == text
    assert (tmp_path / "a.py").samefile(tmp_path / "b.py")
    assert names_in(tmp_path) == ["a.py", "b.py"]


def test_a_failing_write_of_a_hard_link_brings_the_old_text_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(tmp_path / "a.py", b"x = 1\n")
    (tmp_path / "b.py").hardlink_to(tmp_path / "a.py")
    real, calls = os.fsync, []

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:  # the first is that of the copy
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    assert_refused(source, "x = 23456\n", "No space left on device")
    assert (tmp_path / "b.py").read_bytes() == b"x = 1\n"


def test_what_killed_runs_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    kept = [".tfmigrate-mine.tmp", ".tfmigrate-abcd1234.txt", ".tfmigrate-cache", "a.tmp"]
    for name in [".tfmigrate-abcd1234.tmp", ".tfmigrate-abcd1234.a.py.old", "a.py", *kept]:
        (tmp_path / name).write_text("x")
    (tmp_path / ".tfmigrate-link0000.tmp").symlink_to("a.py")
    with (tmp_path / ".tfmigrate-alive000.tmp").open("w") as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        assert clean_up(tmp_path.iterdir()) == []
    assert set(names_in(tmp_path)) == {
        *(*kept, "a.py", ".tfmigrate-alive000.tmp", ".tfmigrate-link0000.tmp")
    }


def test_the_old_text_of_a_file_that_may_be_half_written_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 23")
    copy = tmp_path / ".tfmigrate-abcd1234.a.py.old"
    copy.write_text("x = 1\n")
    (note,) = clean_up([copy])
    assert str(tmp_path / "a.py") in note
    assert copy.name in note
    assert copy.exists()
