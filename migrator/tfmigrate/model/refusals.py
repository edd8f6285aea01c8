"""Refusals: a place in a program that the migrator cannot change, and why."""

import ast


class Refusal(Exception):  # noqa: N818 - rules report it as a finding, it is not an error
    """A place that prevents a change: raised if nothing can be planned, or collected.

    Attributes:
        node: the place.
        reason: what was found there, and why it cannot be changed.
        action: what to do, as an imperative; "" if the rule that reports it has its own advice.
    """

    def __init__(self, node: ast.AST, reason: str, action: str = "") -> None:
        super().__init__(reason)
        self.node, self.reason, self.action = node, reason, action

    def _key(self) -> tuple[ast.AST, str, str]:
        return self.node, self.reason, self.action

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Refusal) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())
