"""How the migrator says no: one place of a program that it cannot change, and why."""

from __future__ import annotations

import ast


class Refusal(Exception):  # noqa: N818 - rules report it as a finding, it is no error
    """A place that keeps code as it is: raised where nothing can be planned, else collected.

    Attributes:
        node: the place.
        reason: what was found there, and why it cannot be changed.
        action: what to do about it; "" where the rule that reports it has one for all.
    """

    def __init__(self, node: ast.AST, reason: str, action: str = "") -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason
        self.action = action

    def _key(self) -> tuple[ast.AST, str, str]:
        return self.node, self.reason, self.action

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Refusal) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())
