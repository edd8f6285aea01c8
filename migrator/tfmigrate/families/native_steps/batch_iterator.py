"""The iterator that gives the batches of a graph."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Batches:
    """The iterator that gives a graph its batches.

    Attributes:
        name: its name; with asynchronous workers, that of the list of theirs.
        parted: whether an element is taken apart into several arguments.
        ends: whether the Dataset may end.
    """

    name: str
    parted: bool
    ends: bool

    def taken(self, index: str = "") -> str:
        """Returns the code of the arguments of a step, which are the next element.

        A Dataset that ends raises OutOfRangeError, as a session did; ``next`` raises another error.

        Args:
            index: that of an asynchronous worker; "" for none.
        """
        return f"{self._star}{self.element(index)}"

    def element(self, index: str = "") -> str:
        """Returns the code of the next element."""
        own = f"{self.name}[{index}]" if index else self.name
        return f"{own}.get_next()" if self.ends else f"next({own})"

    def spec(self, index: str = "") -> str:
        """Returns the code of what describes these arguments."""
        return f"{self._star}{self.name}{f'[{index}]' if index else ''}.element_spec"

    @property
    def _star(self) -> str:
        return "*" if self.parted else ""
