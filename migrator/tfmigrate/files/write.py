"""Writing a migrated file: whole or not at all."""

import os
import shutil
import warnings
from pathlib import Path

from tfmigrate.files.quiet_parse import quiet_parse
from tfmigrate.files.source import SourceFile, TextRefused
from tfmigrate.files.temporary_files import CAN_LOCK, temporary_file


class UnwritableFile(Exception):  # noqa: N818 - it describes the file, and is caught as such
    """A file that was not written.

    Attributes:
        line: Line of the character that cannot be written, 1-based; 1 for the whole file.
        column: Its column in characters, 1-based.
        reason: Why nothing was written, one line.
    """

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.column, self.reason = line, column, reason


def encoded(source: SourceFile, text: str) -> bytes:
    """Returns the new bytes of a file: its own encoding and byte order mark, parsed by Python.

    Raises:
        UnwritableFile: The encoding lacks a character, or the text is not Python.
    """
    try:
        data = source.encode(text)
    except UnicodeEncodeError as error:
        before = text[: error.start]
        line = before.count("\n") + 1
        column = error.start - (before.rfind("\n") + 1) + 1
        reason = (
            f"not written: the encoding {source.encoding} has no character {text[error.start]!a}; "
            "save the file as UTF-8 first"
        )
        raise UnwritableFile(line, column, reason) from error
    except TextRefused as error:
        raise UnwritableFile(1, 1, f"not written: {error}") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes are the user's
            quiet_parse(source.python(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        column = getattr(error, "offset", None) or 1
        reason = f"not written: the new text does not parse ({error}); this is a bug in tfmigrate"
        raise UnwritableFile(line, column, reason) from error
    return data


def write_source(source: SourceFile, text: str) -> bool:
    """Replaces a file's text in one step; mode, owner and links stay as they are.

    At every moment the file holds the old text or the new one. A file with more than one hard
    link is written in place, next to a copy of its old text.

    Returns:
        Whether the file was written; False where the text is the old one.

    Raises:
        UnwritableFile: The file was left as it is.
    """
    if text == source.text:
        return False
    data = encoded(source, text)
    target = Path(os.path.realpath(source.path))
    try:
        status = _status_of_writable(target, source)
        if status.st_nlink > 1:
            _overwrite(target, data, source.encode(source.text))
        else:
            _replace(target, data, status)
    except OSError as error:
        raise _system_refuses(error) from error
    return True


def check_writable(source: SourceFile, text: str) -> None:
    """Checks what can be checked about writing a file without writing it.

    Raises:
        UnwritableFile: the file is read-only or deleted, has changed, or lacks a character.
    """
    encoded(source, text)
    try:
        _status_of_writable(Path(os.path.realpath(source.path)), source)
    except OSError as error:
        raise _system_refuses(error) from error


def _status_of_writable(target: Path, source: SourceFile) -> os.stat_result:
    """Returns the status of a file that is still what was read and may be written.

    Raises:
        OSError: the file was deleted or cannot be reached.
        UnwritableFile: it is read-only or has changed.
    """
    status = target.stat()
    if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise UnwritableFile(1, 1, "not written: the file is read-only")
    if target.read_bytes() != source.encode(source.text):
        raise UnwritableFile(1, 1, "not written: the file changed while tfmigrate was running")
    return status


def _system_refuses(error: OSError) -> UnwritableFile:
    return UnwritableFile(1, 1, f"not written: {error.strerror or error}")


def _replace(target: Path, data: bytes, status: os.stat_result) -> None:
    """Replaces a file with ``data``.

    Raises:
        OSError: The folder, the disk or the owner does not allow it; the file is untouched.
    """
    stream, temporary = temporary_file(target.parent, ".tmp")
    try:
        with stream:
            stream.write(data)
            stream.flush()
            _keep_owner(stream.fileno(), status)
            shutil.copystat(target, temporary)  # mode and extended attributes
            os.utime(temporary)  # but the time is that of the change
            os.fsync(stream.fileno())
            if CAN_LOCK:  # elsewhere an open file cannot be moved
                temporary.replace(target)
        if not CAN_LOCK:
            temporary.replace(target)
    except BaseException:  # Ctrl-C as well: no temporary file is left
        temporary.unlink(missing_ok=True)
        raise


def _overwrite(target: Path, data: bytes, before: bytes) -> None:
    """Writes ``data`` into a file with several hard links, as editors do.

    Raises:
        OSError: The disk does not allow it; the file has its old text.
    """
    stream, copy = temporary_file(target.parent, f".{target.name}.old")
    try:
        with stream:
            stream.write(before)
            stream.flush()
            os.fsync(stream.fileno())
            _fill(target, data)
            if CAN_LOCK:
                copy.unlink()
    except BaseException:
        if target.read_bytes() != before:
            _fill(target, before)
        copy.unlink(missing_ok=True)
        raise
    copy.unlink(missing_ok=True)


def _fill(target: Path, data: bytes) -> None:
    with target.open("r+b") as stream:
        stream.write(data)
        stream.truncate()
        stream.flush()
        os.fsync(stream.fileno())


def _keep_owner(descriptor: int, status: os.stat_result) -> None:
    """Gives the new file the old one's owner and group, where they differ.

    Raises:
        OSError: They differ and this user may not change them.
    """
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) == (status.st_uid, status.st_gid):
        return
    try:
        os.fchown(descriptor, status.st_uid, status.st_gid)
    except OSError as error:
        reason = f"the owner of the file would change ({error.strerror})"
        raise OSError(error.errno, reason) from error
