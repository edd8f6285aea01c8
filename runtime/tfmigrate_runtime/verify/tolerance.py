"""How far apart two programs may be and still train the same."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Loose:
    """Variables that cannot be the same, and how close they must be all the same.

    Attributes:
        pattern: a shell pattern for their names.
        tolerance: the largest absolute difference.
        reason: why they cannot be the same.
    """

    pattern: str
    tolerance: float
    reason: str


MOVING_AVERAGES = Loose(
    "*moving_*",
    5e-3,
    "towers update one moving average in no fixed order (docs/semantics.md, 1.11)",
)


@dataclass(frozen=True)
class Tolerance:
    """Largest absolute differences.

    float32 has seven digits; over a hundred steps programs that compute the same sums in another
    order stay within 1e-5 on values of about one (docs/verification.md has what was measured).

    Attributes:
        loss: of the loss at every step.
        variable: of every element of every variable at every step.
        metric: of evaluation metrics and predictions.
        loose: exceptions for variables.
    """

    loss: float = 1e-5
    variable: float = 1e-5
    metric: float = 1e-5
    loose: tuple[Loose, ...] = field(default=(MOVING_AVERAGES,))

    def of_variable(self, name: str) -> float:
        """Returns the tolerance for a variable."""
        found = self.loose_rule(name)
        return found.tolerance if found else self.variable

    def loose_rule(self, name: str) -> Loose | None:
        """Returns the exception that a variable falls under, None for none."""
        return next((rule for rule in self.loose if fnmatch.fnmatchcase(name, rule.pattern)), None)
