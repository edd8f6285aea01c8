"""What git tracks, read from its index; files that a .gitignore matches may be tracked too.

The format is gitformat-index(5). Git itself need not be installed.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HASHES = (20, 32)  # SHA-1, SHA-256: the index does not say which
_EXTENDED = 0x4000
_MORE = 0x80


@dataclass(frozen=True)
class Tracked:
    """The tracked files of some suffixes.

    Attributes:
        files: their absolute paths.
        folders: the folders that they are in, at any depth.
    """

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()


def tracked(repository: str, suffixes: tuple[str, ...]) -> Tracked:
    """Returns the tracked files of a repository; none if its index cannot be read.

    Args:
        repository: the root of the work tree, without links.
        suffixes: what the names of the files end in.
    """
    try:
        folder = git_folder(Path(repository, ".git"))
        data = Path(folder, "index").read_bytes()
        ends = tuple(os.fsencode(suffix) for suffix in suffixes)
        paths = [path for path in _paths(data) if path.endswith(ends)]
        if b"link" in data[-512:]:  # a split index: most entries are in a file next to it
            for shared in folder.glob("sharedindex.*"):
                paths += [path for path in _paths(shared.read_bytes()) if path.endswith(ends)]
    except (OSError, ValueError):
        return Tracked()
    names = {os.fsdecode(path).replace("/", os.sep) for path in paths}
    folders: set[str] = set()
    for name in names:
        above = name.rpartition(os.sep)[0]
        while above and above not in folders:
            folders.add(above)
            above = above.rpartition(os.sep)[0]
    return Tracked(
        frozenset(os.path.join(repository, name) for name in names),  # noqa: PTH118
        frozenset(os.path.join(repository, name) for name in folders),  # noqa: PTH118
    )


def git_folder(entry: Path) -> Path:
    """Returns the folder with the files of a work tree's ``.git``.

    Raises:
        OSError: it cannot be read.
    """
    if not entry.is_file():
        return entry
    # In worktrees and submodules .git is a file: "gitdir: <folder>" (gitrepository-layout(5)).
    target = entry.read_text(encoding="utf-8", errors="surrogateescape")
    return entry.parent / target.removeprefix("gitdir:").strip()


def _paths(data: bytes) -> Iterator[bytes]:
    """Returns the paths of an index.

    Raises:
        ValueError: it is not an index, or is damaged.
    """
    if data[:4] != b"DIRC" or data[4:8] not in (b"\0\0\0\2", b"\0\0\0\3", b"\0\0\0\4"):
        raise ValueError("unknown version of the git index")
    for size in _HASHES:
        with contextlib.suppress(ValueError, IndexError):
            return iter(list(_entries(data, size)))
    raise ValueError("the git index is damaged")


def _entries(data: bytes, size: int) -> Iterator[bytes]:
    """Yields the paths of an index whose hashes have a size.

    Raises:
        ValueError: the size is wrong.
        IndexError: the size is wrong.
    """
    is_compressed = data[7] == 4
    position, path = 12, b""
    for _ in range(int.from_bytes(data[8:12], "big")):
        start = position
        flags = position + 40 + size
        has_more = int.from_bytes(data[flags : flags + 2], "big") & _EXTENDED
        position = flags + (4 if has_more else 2)
        shared_prefix = b""
        if is_compressed:
            dropped, position = _number(data, position)
            shared_prefix = path[: len(path) - dropped]
        end = data.index(b"\0", position)
        path = shared_prefix + data[position:end]
        position = end + 1
        if not is_compressed:
            position = start + (end - start + 8) // 8 * 8
        yield path
    while position < len(data) - size:  # extensions
        position += 8 + int.from_bytes(data[position + 4 : position + 8], "big")
    if position != len(data) - size:
        raise ValueError("its entries do not end at the checksum")


def _number(data: bytes, position: int) -> tuple[int, int]:
    """Reads a number of variable length, as OFS_DELTA entries of packs have."""
    value = data[position] & ~_MORE
    while data[position] & _MORE:
        position += 1
        value = ((value + 1) << 7) | (data[position] & ~_MORE)
    return value, position + 1
