"""The TensorFlow versions that migrated programs can be made for."""

from typing import NamedTuple  # not dataclasses, which --help would have to load

from tfmigrate.model.tensorflow_versions import OLDEST, supported, version_of

ESTIMATOR = "estimator"
"""The target of programs that stay on TensorFlow 1.15 to 2.15, and of the rules only for them."""
KERAS = "keras"
"""The target of programs that become Keras 3 models, and of the rules only for them."""

EAGER = "eager"
"""The target of programs of sessions that become eager, and of the rules only for them."""


class Target(NamedTuple):
    """What the result of a migration runs on.

    Attributes:
        version: The oldest TensorFlow, as (major, minor).
        estimator: Whether it runs on TensorFlow 1.15 to 2.15: tf.estimator stays, and
            tfmigrate_runtime, which needs 2.16, is not imported.
        keras: Whether programs become Keras 3 models where they can.
        eager: Whether programs of sessions become eager programs where they can.
    """

    version: tuple[int, int]
    estimator: bool = False
    keras: bool = False
    eager: bool = False

    def takes(self, lowest: str, kept_for_estimator: bool = False) -> bool:
        """Returns whether a rule may be used.

        Args:
            lowest: The oldest TensorFlow that its result runs on ("2.16"), or the name of the one
                target that it is for.
            kept_for_estimator: Whether its constructs run on TensorFlow 1.15 to 2.15 as they are:
                parameter servers and towers in graph mode, Keras 2, tf.estimator.
        """
        if lowest == ESTIMATOR:
            return self.estimator
        if lowest == KERAS:
            return self.keras
        if lowest == EAGER:
            return self.eager
        if self.estimator:
            # Apart from the runtime, rules for all versions write names of 1.15's compat.v1.
            return lowest == DEFAULT and not kept_for_estimator
        return version_of(lowest) <= self.version

    def __str__(self) -> str:
        kinds = {ESTIMATOR: self.estimator, KERAS: self.keras, EAGER: self.eager}
        version = ".".join(str(part) for part in self.version)
        return next((name for name, is_target in kinds.items() if is_target), version)


DEFAULT = OLDEST
"""The default: results for the oldest version also run on the newest."""
TARGETS: dict[str, Target] = {name: Target(version_of(name)) for name in supported()} | {
    ESTIMATOR: Target((1, 15), estimator=True),
    KERAS: Target(version_of(DEFAULT), keras=True),
    EAGER: Target(version_of(DEFAULT), eager=True),
}
