"""The tolerance of results that depend on moving averages.

Evaluations and predictions of a network with batch normalisation are made of its moving averages.
Where these are compared loosely, as towers update one in no fixed order, results cannot be held to
more than the averages are.
"""

from __future__ import annotations

from dataclasses import replace

from tfmigrate_runtime.verify.differences import greatest_difference
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Trace


def with_moving_averages(
    original: Trace, migrated: Trace, tolerance: Tolerance
) -> tuple[Tolerance, tuple[str, ...]]:
    """Returns the tolerance of results that depend on loosely compared variables, and why.

    It is what these variables do differ by, no more: where they are the same, it stays.

    Args:
        original: the original's trace.
        migrated: the migrated program's.
        tolerance: how close they must be.
    """
    if tolerance.metric == 0.0:
        return tolerance, ()  # exact comparison requested
    found = {}
    for name, values in original.variables.items():
        rule = tolerance.loose_rule(name)
        other = migrated.variables.get(name)
        if rule is None or other is None or not values.size:
            continue
        size = greatest_difference(values, other).size
        if tolerance.variable < size <= rule.tolerance:
            found[name] = size
    worst = max(found, key=found.__getitem__, default="")
    if not worst or found[worst] <= tolerance.metric:
        return tolerance, ()
    reason = (
        f"Results depend on moving averages, which differ by up to {found[worst]:.1e} ({worst}); "
        "the tolerance of results was raised to that."
    )
    return replace(tolerance, metric=found[worst]), (reason,)
