"""Cached results, by the contents of the files, the version and the options.

An entry is used where nothing that its result depends on has changed. Whatever is wrong with an
entry, or with the folder, the result is made anew.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tfmigrate import __version__
from tfmigrate.files.discover import Candidate
from tfmigrate.files.entry_points import commands_of
from tfmigrate.files.skipped import Skipped
from tfmigrate.model.findings import Finding, Severity
from tfmigrate.scan import plugins

if TYPE_CHECKING:
    from tfmigrate.engine.options import Options
    from tfmigrate.scan.components import Piece

FOLDER = ".tfmigrate_cache"
_TAG = """Signature: 8a477f597d28d172789f06886806bc55
# This file is a cache directory tag created by tfmigrate.
# For information about cache directory tags, see https://bford.info/cachedir/
"""
# Results of other versions and of deleted files are removed when they are this old.
_KEPT_SECONDS = 30 * 24 * 3600


@dataclass(frozen=True)
class Known:
    """A cached result.

    Attributes:
        findings: what was found.
        texts: the new texts, by the place of the file in its piece.
        unstarted: the files that need graph mode and that no known file starts in it.
        skipped: the notebooks of other languages.
    """

    findings: list[Finding]
    texts: dict[int, str]
    unstarted: list[str]
    skipped: list[Skipped]


class Cache:
    """A folder of results.

    Attributes:
        folder: where it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._entries = folder / f"{__version__}-{_fingerprint()}"

    def prepare(self) -> None:
        """Creates the folder, which git and backups ignore, and removes old results.

        Raises:
            OSError: it cannot be made.
        """
        self._entries.mkdir(parents=True, exist_ok=True)
        for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _TAG)):
            path = self.folder / name
            if not path.exists():
                path.write_text(text, encoding="utf-8")
        self._remove_old()

    def key(
        self, options: Options, keras_2: bool, piece: Piece, contents: Mapping[Candidate, bytes]
    ) -> str:
        """Returns the name of a result: a digest of all that it depends on."""
        digest = hashlib.sha256(repr((options, keras_2, piece.imports, piece.outside)).encode())
        for candidate, data in contents.items():
            named = candidate.path in piece.starts
            commands = commands_of(candidate.path)
            digest.update(repr((candidate.display, named, commands, len(data))).encode())
            digest.update(data)
        return digest.hexdigest()

    def load(self, key: str) -> Known | None:
        """Returns a result; None where there is none, or an incomplete one."""
        try:
            head, _, body = self._path(key).read_bytes().partition(b"\n")
        except OSError:
            return None
        if head != hashlib.sha256(body).hexdigest().encode():
            return None
        entry = json.loads(body)
        findings = [
            Finding(**{**values, "severity": Severity(values["severity"])})
            for values in entry["findings"]
        ]
        skipped = [Skipped(**values) for values in entry["skipped"]]
        texts = {int(index): text for index, text in entry["texts"].items()}
        return Known(findings, texts, entry["unstarted"], skipped)

    def store(self, key: str, known: Known) -> None:
        """Stores a result; if that fails, the next run computes it again."""
        entry = {
            "findings": [vars(finding) for finding in known.findings],
            "texts": known.texts,
            "unstarted": known.unstarted,
            "skipped": [vars(one) for one in known.skipped],
        }
        body = json.dumps(entry, default=_plain).encode()
        data = hashlib.sha256(body).hexdigest().encode() + b"\n" + body
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            descriptor, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
            try:
                with os.fdopen(descriptor, "wb") as stream:
                    stream.write(data)
                # Another run may read it, or write the same, at the same time.
                Path(name).replace(path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise

    def _path(self, key: str) -> Path:
        return self._entries / key[:2] / key[2:]

    def _remove_old(self) -> None:
        """Removes results that no run used lately, once a day."""
        stamp = self.folder / "cleaned"
        now = time.time()
        if stamp.exists() and now - stamp.stat().st_mtime < 24 * 3600:
            return
        stamp.touch()
        for path in self.folder.glob("*/*"):
            if path.is_dir() and now - path.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


def _plain(value: object) -> object:
    if isinstance(value, enum.Enum):
        return value.value
    raise TypeError(type(value).__name__)


@cache
def _fingerprint() -> str:
    """Returns a digest of what determines results: the code of this and of plugins, and Python."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256(repr((sys.version_info, _versions())).encode())
    for path in sorted((*package.rglob("*"), *plugins.files())):
        if path.suffix in (".py", ".txt", ".json"):
            status = path.stat()
            digest.update(repr((path.name, status.st_size, status.st_mtime_ns)).encode())
    return digest.hexdigest()[:16]


def _versions() -> list[str]:
    """Returns the versions of the packages that rewrite files."""
    from importlib.metadata import PackageNotFoundError, version

    versions = []
    for name in ("libcst", "fissix"):
        with contextlib.suppress(PackageNotFoundError):
            versions.append(f"{name} {version(name)}")
    return versions
