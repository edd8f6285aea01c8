"""The file of findings: written by the tests, read by scripts/pages/gpu_page.py."""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Findings:
    """What the tests found: sections of named findings, in a file that workers of xdist share."""

    def __init__(self, path: Path) -> None:
        """Takes the file, which need not exist."""
        self.path = path

    def read(self, section: str) -> dict[str, Any]:
        """Returns a section, empty where nothing was found yet."""
        return dict(self._stored().get(section, {}))

    def keep(self, section: str, name: str, found: object) -> None:
        """Adds a finding."""
        with self._changed() as stored:
            stored.setdefault(section, {})[name] = found

    def append(self, section: str, name: str, found: dict[str, float]) -> None:
        """Adds one round of figures to lists of figures."""
        with self._changed() as stored:
            lists = stored.setdefault(section, {}).setdefault(name, {})
            for key, value in found.items():
                lists.setdefault(key, []).append(value)

    def _stored(self) -> dict[str, Any]:
        return json.loads(self.path.read_text("utf-8")) if self.path.exists() else {}

    @contextlib.contextmanager
    def _changed(self) -> Iterator[dict[str, Any]]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            stored = self._stored()
            yield stored
            part = self.path.with_suffix(".part")
            part.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", "utf-8")
            part.replace(self.path)
