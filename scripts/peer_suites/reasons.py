"""Why methods of TensorFlow's tests do not pass, as reasons.toml has it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_REASONS = Path(__file__).with_name("reasons.toml")
# Kinds of methods that test nothing which programs of TensorFlow 1.x have; all others fail.
NOT_APPLICABLE = {
    "private": "parts that are private to TensorFlow",
    "later": "what TensorFlow changed after 1.15",
    "eager": "heads called with eager execution, outside of Estimators",
}
FAILED = {
    "words": "the same error, in other words",
    "accepts": "accepted, where TensorFlow 1.15 raises",
    "differs": "differs",
}


@dataclass(frozen=True)
class Reason:
    """Why some methods of a file do not pass.

    Attributes:
        file: the end of the file's path.
        methods: patterns of their names.
        kind: of NOT_APPLICABLE or FAILED.
        reason: one line.
        way: how they are run; "" for any way.
        run: whether they are run: some would wait for tasks that are never started.
    """

    file: str
    methods: tuple[str, ...]
    kind: str
    reason: str
    way: str = ""
    run: bool = True

    def is_for(self, file: str, way: str, method: str) -> bool:
        """Returns whether it says something of a method."""
        return (
            file.endswith(self.file)
            and self.way in ("", way)
            and any(fnmatch(method, pattern) for pattern in self.methods)
        )


def read(path: Path = _REASONS) -> list[Reason]:
    """Reads the reasons.

    Raises:
        ValueError: a kind is unknown.
    """
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("reason", [])
    found = [Reason(**{**entry, "methods": tuple(entry["methods"])}) for entry in entries]
    for entry in found:
        if entry.kind not in NOT_APPLICABLE | FAILED:
            raise ValueError(f"{path.name}: {entry.file}: unknown kind {entry.kind!r}")
    return found


def reason_of(record: Mapping[str, str], reasons: list[Reason]) -> Reason | None:
    """Returns why a method does not pass, None where nothing is known or nothing is wrong."""
    if record["outcome"] == "not applicable":
        return Reason(record["file"], (record["method"],), "private", record["reason"])
    for entry in reasons:
        if record["outcome"] == "failed" and entry.is_for(
            record["file"], record["way"], record["method"]
        ):
            return entry
    return None
