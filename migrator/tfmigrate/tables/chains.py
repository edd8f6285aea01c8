"""How a name is reached: the import, and the attributes that are used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Chain:
    """How a name is reached.

    Attributes:
        module: what is imported ("tensorflow.compat.v1").
        member: what is imported from it; "" for the module itself.
        attributes: the attributes below that ("train.Saver"); "" for none.
    """

    module: str
    member: str = ""
    attributes: str = ""

    @property
    def root(self) -> str:
        """The package it is in ("tensorflow")."""
        return self.module.partition(".")[0]

    @property
    def qualified(self) -> str:
        """The whole dotted name."""
        return ".".join(part for part in (self.module, self.member, self.attributes) if part)

    def below(self, attribute: str) -> Chain:
        """Returns the chain to an attribute of what this one leads to."""
        return Chain(self.module, self.member, f"{self.attributes}.{attribute}".lstrip("."))


def and_above(qualified: str) -> Iterator[str]:
    """Yields a dotted name, and those of what it is in, the nearest first."""
    while qualified:
        yield qualified
        qualified = qualified.rpartition(".")[0]
