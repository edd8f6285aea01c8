"""The error for a name that the legacy runtime does not emulate."""

from types import ModuleType

DOCUMENT = "docs/explanation/tf1_shim.md"


def not_emulated(symbol: str) -> AttributeError:
    """Returns the error for a name ("tf.contrib.tpu.TPUEstimator")."""
    return AttributeError(
        f"{symbol} is not emulated by the legacy runtime: {DOCUMENT} says what is, "
        "and how to run such a program on TensorFlow 1.x itself"
    )


class EmulatedModule(ModuleType):
    """A module of TensorFlow 1.15 whose names are looked up when they are asked for."""

    def __init__(self, name: str, below: str) -> None:
        """Makes the module, by its name and by what is behind that of its package."""
        super().__init__(name, f"{name}, as {DOCUMENT} describes it.")
        self.__path__: list[str] = []  # its modules are found by their names
        # What Python shows behind "cannot import name ... from ...".
        self.__file__ = f"not emulated by the legacy runtime, see {DOCUMENT}"
        self._below = below
