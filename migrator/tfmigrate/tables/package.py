"""A package of TensorFlow 1.x that a package of the runtime replaces."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Package:
    """A package of TensorFlow 1.x, and the one of the runtime with the same names.

    Attributes:
        source: its name in TensorFlow 1.x ("tensorflow.estimator"); "" where there is none.
        target: that of the runtime ("tfmigrate_runtime.estimator").
        modules: the names that the runtime has, by the module below both ("" for the package).
        constants: what a class of constants has, by its name in the package.
    """

    source: str
    target: str
    modules: Mapping[str, frozenset[str]]
    constants: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the runtime's package is called when it is imported."""
        return self.target.rpartition(".")[2]

    @property
    def title(self) -> str:
        """How people write the package of TensorFlow 1.x."""
        return self.source.replace("tensorflow.", "tf.", 1)

    def has(self, qualified: str) -> bool:
        """Returns whether a name of TensorFlow 1.x is the package itself or in it."""
        return (qualified + ".").startswith(self.source + ".")

    def offers_qualified(self, qualified: str) -> bool:
        """Returns whether a name of TensorFlow 1.x is in the package and the runtime has it."""
        name = qualified.removeprefix(self.source).lstrip(".")
        return self.has(qualified) and self.offers(name)

    def offers(self, name: str) -> bool:
        """Returns whether the runtime has a name.

        Args:
            name: the part after the package ("export.PredictOutput", "ModeKeys.TRAIN"); "" for the
                package.
        """
        parts = name.split(".") if name else []
        for depth in range(len(parts), -1, -1):
            if (known := self.modules.get(".".join(parts[:depth]))) is not None:
                return depth == len(parts) or parts[depth] in known
        return False
