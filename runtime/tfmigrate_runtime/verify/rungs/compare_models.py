"""Comparing programs that train several models: each rung holds for every one of them."""

from dataclasses import replace

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs import compare
from tfmigrate_runtime.verify.rungs.compare import Check, Outcome
from tfmigrate_runtime.verify.traces.trace import Trace
from tfmigrate_runtime.verify.wording import counted


def steps(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 1: both programs train as many models, each for the same global steps."""
    counts = [_sessions_of_others(trace) for trace in (original, migrated)]
    stored = ["models" in trace.meta for trace in (original, migrated)]
    if all(stored):
        counts = [len(original.models), len(migrated.models)]
    if counts[0] != counts[1]:
        unit = "model" if all(stored) else "session of other models"
        details = (
            f"Besides its first model, the original trains {counted(counts[0], unit)}, the "
            f"migrated program {counts[1]}.",
        )
        return Outcome(False, f"{counts[0]} and {counts[1]} further models", "", details)
    outcome = of_every_model(compare.steps)(original, migrated, tolerance)
    if outcome.same and counts[0]:
        words = counted(counts[0], "further model")
        outcome = replace(outcome, figure=f"{outcome.figure}, {words}")
    if not counts[0] or all(stored):
        return outcome
    which = "migrated program" if stored[0] else "original"
    note = (
        f"Other models ({counted(counts[0], 'session')}) were not compared: the trace of the "
        f"{which} does not contain them. Record it again.",
    )
    return replace(outcome, details=outcome.details + note)


def _sessions_of_others(trace: Trace) -> int:
    """Returns the number of sessions that trained models other than the first."""
    ignored = len(trace.meta.get("ignored_sessions", ()))
    return ignored + sum(len(model.meta["sessions"]) for model in trace.models)


def of_every_model(check: Check) -> Check:
    """Returns a comparison that is made for the first model, and for each of the others."""

    def check_all(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
        outcome = check(original, migrated, tolerance)
        pairs = list(zip(original.models, migrated.models, strict=False))
        for number, (old, new) in enumerate(pairs, start=2):
            name = f"model {number} of {len(pairs) + 1} ({', '.join(old.trainable[:2])})"
            model_outcome = check(old, new, tolerance.of_model(number - 2))
            details = tuple(f"{name}: {line}" for line in model_outcome.details)
            if outcome.same and not model_outcome.same:
                return replace(
                    model_outcome, figure=f"model {number}: {model_outcome.figure}", details=details
                )
            outcome = replace(outcome, details=outcome.details + details)
        return outcome

    return check_all
