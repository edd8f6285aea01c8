"""The ladder: what is compared, in which order, and what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tfmigrate_runtime.verify import (
    compare,
    compare_batch,
    compare_checkpoints,
    compare_exports,
    compare_fetches,
    compare_models,
    compare_written,
    finite_steps,
)
from tfmigrate_runtime.verify.compare import Outcome
from tfmigrate_runtime.verify.compare_ends import also_at_ends
from tfmigrate_runtime.verify.compare_models import of_every_model
from tfmigrate_runtime.verify.diagnosis import diagnose
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Trace, at_common_steps

Check = Callable[[Trace, Trace, Tolerance], Outcome]


def _diagnosed(check: Check) -> Check:
    """Returns a comparison that says what the first difference tells of its cause."""

    def check_and_diagnose(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
        outcome = check(original, migrated, tolerance)
        if outcome.same:
            return outcome
        found = diagnose(original, migrated, tolerance)
        return replace(outcome, details=outcome.details + found)

    return check_and_diagnose


def _with_fetches(check: Check) -> Check:
    """Returns a comparison of results that holds for what sessions return as well."""

    def check_both(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
        results = check(original, migrated, tolerance)
        found = compare_fetches.fetches(original, migrated, tolerance)
        if not results.same or found is None:
            return results
        details = results.details + found.details
        if not found.same or results.skipped:
            return replace(found, details=details)
        figure = ", ".join(part for part in (results.figure, found.figure) if part)
        return replace(results, figure=figure, details=details)

    return check_both


CHECKPOINTS = "same checkpoints"
RUNGS: tuple[tuple[str, Check], ...] = (
    ("both train the same steps", compare_models.steps),
    ("same trainable variables", of_every_model(compare.trainable_variables)),
    ("same initial values, batch", of_every_model(_diagnosed(compare_batch.start))),
    ("same loss at every step", of_every_model(_diagnosed(finite_steps.losses))),
    ("same variables and slots", of_every_model(also_at_ends(_diagnosed(finite_steps.variables)))),
    ("same calls and results", _with_fetches(finite_steps.calls_and_results)),
    (CHECKPOINTS, compare_checkpoints.checkpoints),
    ("same exports", compare_exports.exports),
    ("same files and hooks", compare_written.written),
)


@dataclass(frozen=True)
class Rung:
    """One rung of the ladder.

    Attributes:
        number: from 1.
        name: what is compared.
        outcome: what was found, None where the ladder ended before.
    """

    number: int
    name: str
    outcome: Outcome | None

    @property
    def verdict(self) -> str:
        """One of "same", "different", "not decided", "skipped" and "not reached"."""
        if self.outcome is None:
            return "not reached"
        if not self.outcome.decided:
            return "not decided"
        if self.outcome.skipped:
            return "skipped"
        return "same" if self.outcome.same else "different"


@dataclass(frozen=True)
class Verdict:
    """What the comparison of two traces came to.

    Attributes:
        rungs: all rungs, in order.
        warnings: what the user should know about the comparison itself.
        ended_at: the step at which both programs stopped having numbers; None where they never did.
    """

    rungs: tuple[Rung, ...]
    warnings: tuple[str, ...] = field(default=())
    ended_at: int | None = None

    @property
    def same(self) -> bool:
        """Whether every rung holds that could be compared."""
        return all(rung.verdict in ("same", "skipped") for rung in self.rungs)

    @property
    def undecided(self) -> Rung | None:
        """The first rung that shows neither, where none fails."""
        open_ones = (rung for rung in self.rungs if rung.verdict == "not decided")
        return next(open_ones, None) if self.failed is None else None

    @property
    def word(self) -> str:
        """One of "same", "different" and "not decided"."""
        if self.failed is not None:
            return "different"
        return "same" if self.same else "not decided"

    @property
    def failed(self) -> Rung | None:
        """The rung that does not hold."""
        return next((rung for rung in self.rungs if rung.verdict == "different"), None)


def climb(
    original: Trace, migrated: Trace, tolerance: Tolerance, warnings: tuple[str, ...] = ()
) -> Verdict:
    """Compares two traces rung by rung, up to the first that does not hold."""
    original, migrated = at_common_steps(original, migrated)
    rungs = []
    failed = False
    for number, (name, check) in enumerate(RUNGS, start=1):
        outcome = None if failed else check(original, migrated, tolerance)
        failed = failed or (outcome is not None and not outcome.same)
        rungs.append(Rung(number, name, outcome))
    ended = None if failed else finite_steps.ended_at(original, migrated)
    return Verdict(tuple(rungs), warnings, ended)


def compared_again(
    verdict: Verdict, name: str, original: Trace, migrated: Trace, tolerance: Tolerance
) -> Verdict:
    """Returns a verdict with one rung, by its name, made anew."""
    check = dict(RUNGS)[name]
    rungs = [
        replace(rung, outcome=check(original, migrated, tolerance)) if rung.name == name else rung
        for rung in verdict.rungs
    ]
    return replace(verdict, rungs=tuple(rungs))
