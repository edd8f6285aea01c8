"""Comparing variables at the end of sessions: programs may change them after the last step."""

from dataclasses import replace

import numpy as np

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare import Check, Outcome
from tfmigrate_runtime.verify.rungs.differences import greatest_difference
from tfmigrate_runtime.verify.traces.trace import Array, Trace
from tfmigrate_runtime.verify.wording import SIDES


def also_at_ends(check: Check) -> Check:
    """Returns a comparison of variables after every recorded step, and at the ends of sessions."""

    def check_all(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
        outcome = check(original, migrated, tolerance)
        details = _differences(original, migrated, tolerance) if outcome.same else []
        if not details:
            return outcome
        figure = f"{len(details)} differ at the end"
        return replace(outcome, same=False, figure=figure, details=tuple(details))

    return check_all


def _differences(original: Trace, migrated: Trace, tolerance: Tolerance) -> list[str]:
    details = []
    for step in sorted(original.ends.keys() & migrated.ends.keys()):
        names = original.ends[step].keys() | migrated.ends[step].keys()
        for name in sorted(names & original.variables.keys() & migrated.variables.keys()):
            old, new = (_at_end(trace, step, name) for trace in (original, migrated))
            if old is None or new is None:
                continue
            if tolerance.is_apart(name, old, new):
                size = greatest_difference(old, new).size
                details.append(_described(name, step, original, migrated, size))
    return details


def _described(name: str, step: int, original: Trace, migrated: Trace, size: float) -> str:
    changing = [
        which
        for which, trace in zip(SIDES, (original, migrated), strict=True)
        if name in trace.ends[step]
    ]
    after = "both programs change" if len(changing) == 2 else f"only the {changing[0]} changes"
    return (
        f"{name} differs by {size:.3g} at the end of a session: {after} it after its last step "
        f"({step})."
    )


def _at_end(trace: Trace, step: int, name: str) -> Array | None:
    """Returns a variable at the end of the session that ran a step; None if it is not known."""
    if name in trace.ends[step]:
        return trace.ends[step][name]
    rows = np.flatnonzero(trace.variable_step == step)
    return trace.variables[name][rows[-1]] if len(rows) else None
