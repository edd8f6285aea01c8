"""How far two programs may differ and still train the same."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from tfmigrate_runtime.verify.trace import Array

# A variable that hardly trains must not pass because the tolerance exceeds its movement: it may
# differ by this share of the movement. Measured: at most 4e-6.
_SHARE_OF_MOVEMENT = 1e-2
# A smaller movement may be rounding alone, as of a bias before batch normalization.
_LEAST_MOVEMENT = 1e-5
# float32 cannot hold large values to 1e-5: units in the last place by which sums may differ.
_UNITS_IN_LAST_PLACE = 8


@dataclass(frozen=True)
class Loose:
    """Variables that cannot be equal, and how close they must be.

    Attributes:
        pattern: a shell pattern for their names.
        tolerance: the largest absolute difference.
        reason: why they cannot be equal.
    """

    pattern: str
    tolerance: float
    reason: str


_IN_NO_ORDER = "towers update a moving average in no fixed order (semantics.md, 1.11)"
MOVING_AVERAGES = (
    Loose("*moving_mean", 5e-3, _IN_NO_ORDER),
    Loose("*moving_variance", 5e-3, _IN_NO_ORDER),
)


@dataclass(frozen=True)
class Tolerance:
    """Largest absolute differences.

    float32 has seven digits; over a hundred steps programs that compute the same sums in a
    different order stay within 1e-5 on values of about one (verification.md has
    measurements).

    Attributes:
        loss: of the loss at every step; where it is above one, a share of it.
        variable: of every element of every variable at every step.
        metric: of evaluation metrics and predictions.
        loose: exceptions for variables.
        given: which of these the user set ("loss", "variable"): they are not lowered.
    """

    loss: float = 1e-5
    variable: float = 1e-5
    metric: float = 1e-5
    loose: tuple[Loose, ...] = field(default=MOVING_AVERAGES)
    given: frozenset[str] = frozenset()

    def of_variable(self, name: str) -> float:
        """Returns the tolerance for a variable."""
        found = self.loose_rule(name)
        return found.tolerance if found else self.variable

    def loose_rule(self, name: str) -> Loose | None:
        """Returns the exception that a variable falls under, None for none."""
        return next((rule for rule in self.loose if fnmatch.fnmatchcase(name, rule.pattern)), None)

    def limit_of_results(self, variables: Iterable[str]) -> float:
        """Returns how far results may be apart, as a share of their size.

        They may depend on variables that are compared loosely.

        Args:
            variables: the names of the original's variables.
        """
        rules = (self.loose_rule(name) for name in variables)
        return max([self.metric, *(rule.tolerance for rule in rules if rule is not None)])

    def limit_of_variable(self, name: str, start: Array, values: Array) -> float:
        """Returns how far a variable may be from what it was in the original.

        It is the tolerance, less where the variable hardly trains, more where float32 cannot hold
        its values that exactly; for loose variables it is theirs.

        Args:
            name: its name.
            start: its value before the first step.
            values: its values after the recorded steps of the original.
        """
        limit = self.of_variable(name)
        if self.loose_rule(name) is not None or values.dtype.kind != "f" or not values.size:
            return limit
        if limit == 0.0:
            return limit  # exact comparison requested
        way = moved(start, values)
        if way >= _LEAST_MOVEMENT and "variable" not in self.given:
            limit = min(limit, _SHARE_OF_MOVEMENT * way)
        return max(limit, _last_places(values))

    def limits_of_losses(self, losses: Array) -> Array:
        """Returns how far each loss may be from the original's, given all losses of the original.

        A loss is a sum in float32, whose rounding grows with it: where it is above one, the
        tolerance is a share of it.
        """
        shares = self.loss * np.abs(np.where(np.isfinite(losses), losses, 0.0))
        limits: Array = np.maximum(self.limit_of_loss(losses), shares)
        return limits

    def limit_of_loss(self, losses: Array) -> float:
        """Returns how far a small loss may be from the original's, given all of the original."""
        if self.loss == 0.0:
            return self.loss  # exact comparison requested
        greatest = _magnitude(losses)
        limit = self.loss
        if greatest and "loss" not in self.given:
            limit = min(limit, _SHARE_OF_MOVEMENT * greatest)
        # Losses are stored as float64, but they were computed as float32.
        return max(limit, _last_places(losses.astype(np.float32)))


def moved(start: Array, values: Array) -> float:
    """Returns how far a variable moved from its initial value, at most."""
    return _magnitude(values.astype(np.float64) - start.astype(np.float64))


def _magnitude(values: Array) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else 0.0


def _last_places(values: Array) -> float:
    return _UNITS_IN_LAST_PLACE * float(np.finfo(values.dtype).eps) * _magnitude(values)
