"""The TensorFlow versions that migrated programs can be made for."""

from __future__ import annotations

from typing import NamedTuple  # not dataclasses, which --help would have to load


class Target(NamedTuple):
    """What the result of a migration is to run on.

    Attributes:
        version: The oldest TensorFlow, as (major, minor).
    """

    version: tuple[int, int]

    def takes(self, lowest: str) -> bool:
        """Says whether a rule whose result needs TensorFlow ``lowest`` ("2.16") may be used."""
        return version_of(lowest) <= self.version

    def __str__(self) -> str:
        return ".".join(str(part) for part in self.version)


def version_of(text: str) -> tuple[int, int]:
    """Returns a version ("2.16") as numbers, which compare as versions do."""
    major, minor = text.split(".")
    return int(major), int(minor)


# 2.16 is the first without tf.estimator and with Keras 3; what is older needs no migration.
TARGETS: dict[str, Target] = {
    name: Target(version_of(name)) for name in ("2.16", "2.17", "2.18", "2.19", "2.20", "2.21")
}
DEFAULT = "2.16"
"""What is made for the oldest runs on the newest as well: all rules have results that do."""
