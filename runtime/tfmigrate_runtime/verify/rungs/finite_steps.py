"""Finds where both programs stop having finite numbers, since NaN equal to NaN shows nothing.

Steps before that are compared as usual. Nothing is compared from the step on at which the losses or
trainable variables of both programs are not finite.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs import compare, compare_losses, compare_results
from tfmigrate_runtime.verify.rungs.compare import Check, Outcome
from tfmigrate_runtime.verify.traces.trace import Array, Results, Trace


def last_step_with_numbers(trace: Trace) -> int | None:
    """Returns how many steps were made before numbers stop being finite; None where they never do.

    A loss that is not finite counts where the trainable variables end so too: a program may well
    have a loss that is not recorded, or not defined for some batch.
    """
    rows = [_is_finite(trace.variables[n]) for n in trace.trainable if n in trace.variables]
    ended = np.flatnonzero(~np.all(rows, axis=0)) if rows else np.zeros(0, int)
    if rows and len(trace.variable_step) and not len(ended):
        return None
    losses = np.flatnonzero(~np.isfinite(trace.loss))
    # A step is in the trace once for each time that it was made: positions, not numbers.
    counts = [int(losses[0])] if len(losses) else []
    if len(ended):
        step = trace.variable_step[ended[0]]
        counts.append(int(np.flatnonzero(trace.step == step)[0]))
    return min(counts, default=None)


def with_numbers(original: Trace, migrated: Trace) -> tuple[Trace, Trace, int | None]:
    """Returns both traces up to the step at which numbers stop being finite, and its position.

    The step itself is kept: one of them may still have finite numbers there.
    """
    ends = [last_step_with_numbers(trace) for trace in (original, migrated)]
    if not (known_ends := [end for end in ends if end is not None]):
        return original, migrated, None
    end = min(known_ends)
    return original.up_to(end + 1), migrated.up_to(end + 1), end


def ended_at(original: Trace, migrated: Trace) -> int | None:
    """Returns the last step at which both programs have finite numbers, None where they always do.

    It is 0 where they have none from the first step on.
    """
    if (end := with_numbers(original, migrated)[2]) is None:
        return None
    return int(original.step[end - 1]) if end else 0


def on_numbers(check: Check) -> Check:
    """Returns a comparison of the steps at which both programs have finite numbers."""

    def checked(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
        first, second, end = with_numbers(original, migrated)
        outcome = check(first, second, tolerance if end is None else tolerance.up_to(end + 1))
        if end is None or not outcome.same:
            return outcome
        step = int(original.step[end])
        if end == 0:
            reason = f"Neither program has finite numbers at its first step, {step}, or later: "
            reason += "there is nothing to compare."
            figure = f"no finite numbers from step {step}"
            return Outcome(True, figure, "", (reason,), decided=False)
        reason = (
            f"Neither program has finite numbers from step {step} on (NaN or inf): only the steps "
            "before were compared."
        )
        return replace(outcome, details=(*outcome.details, reason))

    return checked


def losses(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 4: the same loss at every step at which it is finite."""
    outcome = _losses(original, migrated, tolerance)
    if not outcome.same or not outcome.decided:
        return outcome
    first, second, _ = with_numbers(original, migrated)
    missing = int((~np.isfinite(first.loss) & ~np.isfinite(second.loss)).sum())
    if missing == len(first.loss):
        reason = "Neither program has a finite loss at any step: losses were not compared."
        return Outcome(True, "no finite loss", "", (reason,), skipped=True)
    if not missing or (missing == 1 and not np.isfinite(first.loss[-1])):
        return outcome
    reason = f"At {missing} of {len(first.loss)} steps neither program has a finite loss."
    return replace(outcome, details=(*outcome.details, reason))


def calls_and_results(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 6: the same calls and results; names results that are NaN in both programs."""
    outcome = compare_results.calls_and_results(original, migrated, tolerance)
    if not outcome.same:
        return outcome
    names = [
        *results_without_numbers("evaluation", original.evaluations),
        *results_without_numbers("prediction", original.predictions),
    ]
    if not names:
        return outcome
    reason = f"NaN in both programs, so their equality shows nothing: {', '.join(names)}."
    return replace(outcome, details=(*outcome.details, reason))


def results_without_numbers(kind: str, results: Sequence[Results]) -> list[str]:
    """Names the results that are NaN, as "auc of evaluation 1"."""
    return [
        f"{name} of {kind} {number}"
        for number, metrics in enumerate(results, start=1)
        for name, value in metrics.items()
        if np.asarray(value).dtype.kind == "f" and np.isnan(value).any()
    ]


def _is_finite(values: Array) -> Array:
    if values.dtype.kind != "f":
        return np.ones(len(values), bool)
    return np.array([np.isfinite(row).all() for row in values], bool)


_losses = on_numbers(compare_losses.losses)
variables = on_numbers(compare.variables)
