"""A module with some names of its own, which leaves the module it represents as it is."""

from types import ModuleType
from typing import Any


class Overlay(ModuleType):
    """A module with some names of its own; the others are those of another module."""

    def __init__(self, module: Any, **names: Any) -> None:
        """Takes the other module, and the names."""
        super().__init__(module.__name__, module.__doc__)
        self.__dict__.update(names)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)
