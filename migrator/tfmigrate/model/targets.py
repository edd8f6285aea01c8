"""The TensorFlow versions that migrated programs can be made for."""

from __future__ import annotations

from typing import NamedTuple  # not dataclasses, which --help would have to load

ESTIMATOR = "estimator"
"""The target of programs that stay on TensorFlow 1.15 to 2.15, and of rules for those alone."""


class Target(NamedTuple):
    """What the result of a migration is to run on.

    Attributes:
        version: The oldest TensorFlow, as (major, minor).
        estimator: Whether it runs on TensorFlow 1.15 to 2.15: tf.estimator stays, and nothing is
            imported of tfmigrate_runtime, which needs 2.16.
    """

    version: tuple[int, int]
    estimator: bool = False

    def takes(self, lowest: str, kept_for_estimator: bool = False) -> bool:
        """Says whether a rule may be used.

        Args:
            lowest: The oldest TensorFlow that its result runs on ("2.16"), or ``ESTIMATOR``.
            kept_for_estimator: Whether what it is about runs on TensorFlow 1.15 to 2.15 as it is:
                parameter servers and towers in graph mode, Keras 2, tf.estimator.
        """
        if lowest == ESTIMATOR:
            return self.estimator
        if self.estimator:
            # What rules for all versions write besides the runtime is in 1.15's compat.v1, too.
            return lowest == DEFAULT and not kept_for_estimator
        return version_of(lowest) <= self.version

    def __str__(self) -> str:
        return ESTIMATOR if self.estimator else ".".join(str(part) for part in self.version)


def version_of(text: str) -> tuple[int, int]:
    """Returns a version ("2.16") as numbers, which compare as versions do."""
    major, minor = text.split(".")
    return int(major), int(minor)


DEFAULT = "2.16"
"""What is made for the oldest runs on the newest as well: all rules have results that do."""
# 2.16 is the first without tf.estimator and with Keras 3.
TARGETS: dict[str, Target] = {
    name: Target(version_of(name)) for name in (DEFAULT, "2.17", "2.18", "2.19", "2.20", "2.21")
} | {ESTIMATOR: Target((1, 15), estimator=True)}
