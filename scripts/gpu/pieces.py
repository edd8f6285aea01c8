"""Pieces that pack.py made: which are there, and their contents in one folder."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import shutil
import tarfile
from pathlib import Path
from typing import Any

from proof_setup import Missing

LISTED = "pieces.json"


class _InTurn(io.RawIOBase):
    """Several files, read as if they were one."""

    def __init__(self, paths: list[Path]) -> None:
        self._paths = list(reversed(paths))
        self._file: io.BufferedReader | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while self._file is not None or self._paths:
            if self._file is None:
                self._file = self._paths.pop().open("rb")
            if count := self._file.readinto(buffer):
                return count
            self._file.close()
            self._file = None
        return 0


def listed(folder: Path) -> dict[str, Any]:
    """Returns what pieces.json says.

    Raises:
        Missing: there is no such file, or its pieces are for a different version of Python.
    """
    path = folder / LISTED
    if not path.exists():
        raise Missing(f"{path} is missing: make the pieces with scripts/gpu/pack.py")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    here = ".".join(platform.python_version_tuple()[:2])
    if found["python"] != here:
        raise Missing(
            f"the pieces are for Python {found['python']}, and this is Python {here}: "
            f"run this command by python{found['python']}, or pack by python{here}"
        )
    return found


def check(folder: Path) -> list[Path]:
    """Returns the files of all pieces.

    Raises:
        Missing: some are not there, or are damaged.
    """
    pieces = listed(folder)["pieces"]
    lines = []
    for piece in pieces:
        path = folder / piece["name"]
        if not path.exists():
            lines.append(f"{piece['name']} is missing")
        elif path.stat().st_size != piece["bytes"] or _digest(path) != piece["sha256"]:
            lines.append(f"{piece['name']} is damaged")
    if lines:
        there = len(pieces) - len(lines)
        raise Missing("\n".join([f"{there} of {len(pieces)} pieces are in {folder}", *lines]))
    return [folder / piece["name"] for piece in pieces]


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while data := file.read(1 << 20):
            digest.update(data)
    return digest.hexdigest()


def unpack(folder: Path, site: Path) -> None:
    """Unpacks all pieces into one folder, which is there only once it is whole."""
    part = site.with_name(f"{site.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    whole = io.BufferedReader(_InTurn(check(folder)), 1 << 20)
    with tarfile.open(fileobj=whole, mode="r|xz") as archive:
        archive.extractall(part, filter="tar")
    shutil.rmtree(site, ignore_errors=True)
    part.rename(site)
