"""The ladder: the comparisons, their order, and their outcomes.

Programs of one process and clusters climb the same ladder. A rung compares every task, or the chief
where others only follow it; what tasks of a cluster do at the same time depends on chance where its
workers run freely, and is skipped then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from tfmigrate_runtime.verify.causes import DIRECTION, FED, IN_GRAPH, NOT_DECIDED, OF_RUNGS
from tfmigrate_runtime.verify.diagnosis.definitions import definition
from tfmigrate_runtime.verify.diagnosis.diagnosis import diagnose
from tfmigrate_runtime.verify.diagnosis.graph_differences import differences, fed_differently
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs import (
    compare,
    compare_batch,
    compare_checkpoints,
    compare_exports,
    compare_fetches,
    compare_initial,
    compare_models,
    compare_native,
    compare_seeds,
    compare_step_fetches,
    compare_tasks,
    compare_written,
    finite_steps,
)
from tfmigrate_runtime.verify.rungs.compare import Outcome
from tfmigrate_runtime.verify.rungs.compare_ends import also_at_ends
from tfmigrate_runtime.verify.rungs.compare_models import of_every_model
from tfmigrate_runtime.verify.rungs.compare_tasks import each
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.trace import Trace

Check = Callable[[Recording, Recording, Tolerance], Outcome]


def steps(original: Recording, migrated: Recording, tolerance: Tolerance) -> Outcome:
    """Rung 1: the same tasks train the same steps."""
    task_outcome = compare_tasks.tasks(original, migrated)
    if not task_outcome.same or original.runs_freely or migrated.runs_freely:
        return task_outcome
    if (lost := compare_tasks.lost_replicas(original, migrated)) is not None:
        return lost
    step_outcome = each(compare_models.steps, original, migrated, tolerance)
    return replace(
        step_outcome,
        figure=_joined(task_outcome.figure, step_outcome.figure)
        if step_outcome.same
        else step_outcome.figure,
    )


def trainable_variables(original: Recording, migrated: Recording, tolerance: Tolerance) -> Outcome:
    """Rung 2: the same trainable variables; in a cluster, in the same places."""
    check = of_every_model(compare_native.with_map(compare.trainable_variables))
    outcome = check(original.chief, migrated.chief, tolerance)
    if not outcome.same:
        return outcome
    places = compare_tasks.placement(original, migrated)
    figure = _joined(outcome.figure, places.figure) if places.same else places.figure
    details = outcome.details + places.details
    return replace(outcome, same=places.same, figure=figure, details=details)


def start(original: Recording, migrated: Recording, tolerance: Tolerance) -> Outcome:
    """Rung 3: the chief starts from the same values, all tasks from the same seeds and batch."""
    check = of_every_model(compare_initial.initial_values)
    values = check(original.chief, migrated.chief, tolerance)
    copies = compare_tasks.other_copies(migrated) if values.same else ()
    if copies:
        return Outcome(False, f"{len(copies)} copies differ", "bit for bit", copies)
    if not values.same:
        return values
    seeds = each(of_every_model(compare_seeds.graph_seeds), original, migrated, tolerance)
    if not seeds.same:
        return seeds
    check = of_every_model(compare_batch.start_of_worker)
    batch = each(check, original, migrated, tolerance)
    return Outcome(
        batch.same,
        _joined(values.figure, batch.figure),
        values.tolerance,
        values.details + batch.details,
        reservations=values.reservations,
        not_compared=batch.not_compared,
        cause=batch.cause,
        first=batch.first,
    )


def losses(original: Recording, migrated: Recording, tolerance: Tolerance) -> Outcome:
    """Rung 4: the same loss at every step."""
    check = of_every_model(_diagnosed(finite_steps.losses, migrated))
    return each(check, original, migrated, tolerance)


def variables(original: Recording, migrated: Recording, tolerance: Tolerance) -> Outcome:
    """Rung 5: the same variables and slots after every recorded step, and at ends of sessions."""
    check = of_every_model(also_at_ends(_diagnosed(finite_steps.variables, migrated)))
    return each(check, original, migrated, tolerance)


def results(original: Recording, migrated: Recording, tolerance: Tolerance) -> Outcome:
    """Rung 6: the same calls and results of the chief, and what sessions of every task return."""
    if not migrated.chief.is_native:
        return _results(original, migrated, tolerance)

    def of_one_process(old: Trace, new: Trace, limits: Tolerance) -> Outcome:
        return _results(Recording.of(old), Recording.of(new), limits)

    check = compare_native.with_native_results(of_one_process)
    return check(original.chief, migrated.chief, tolerance)


def _results(original: Recording, migrated: Recording, tolerance: Tolerance) -> Outcome:
    outcome = finite_steps.calls_and_results(original.chief, migrated.chief, tolerance)
    if not outcome.same:
        return outcome

    def fetches(old: Trace, new: Trace, limits: Tolerance) -> Outcome:
        return compare_fetches.fetches(old, new, limits, old is original.chief)

    for check in (fetches, compare_step_fetches.step_fetches):
        fetch_outcome = each(check, original, migrated, tolerance)
        details = outcome.details + fetch_outcome.details
        missing = outcome.not_compared + fetch_outcome.not_compared
        if fetch_outcome.skipped:  # nothing is fetched, or that was not recorded
            outcome = replace(outcome, details=details, not_compared=missing)
        elif not fetch_outcome.same or outcome.skipped:
            outcome = replace(fetch_outcome, details=details, not_compared=missing)
        else:
            figure = _joined(outcome.figure, fetch_outcome.figure)
            outcome = replace(outcome, figure=figure, details=details, not_compared=missing)
        if not outcome.same:
            break
    return outcome


def checkpoints(original: Recording, migrated: Recording, tolerance: Tolerance) -> Outcome:
    """Rung 7: the chief's checkpoints can be restored by the other program."""
    return compare_checkpoints.checkpoints(original.chief, migrated.chief, tolerance)


def exports(original: Recording, migrated: Recording, tolerance: Tolerance) -> Outcome:
    """Rung 8: the same exports of the chief."""
    return compare_exports.exports(original.chief, migrated.chief, tolerance)


def written(original: Recording, migrated: Recording, tolerance: Tolerance) -> Outcome:
    """Rung 9: the same summaries, checkpoints and calls of hooks of every task."""
    return each(compare_native.written(compare_written.written), original, migrated, tolerance)


def _diagnosed(check: compare.Check, program: Recording) -> compare.Check:
    """Returns a comparison that adds the cause of a difference, where updates show it."""
    workers = len(program.tasks) if program.is_cluster else 0

    def check_and_diagnose(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
        outcome = check(original, migrated, tolerance)
        if outcome.same:
            return outcome
        first, second, end = finite_steps.with_numbers(original, migrated)
        limits = tolerance if end is None else tolerance.up_to(end + 1)
        diagnoses = diagnose(first, second, limits, workers, outcome.findings)
        lines = tuple(d.line + definition(d.line, d.code, migrated.meta) for d in diagnoses)
        cause = outcome.cause or (diagnoses[0].code if diagnoses else "")
        if (graphs := differences(original.meta, migrated.meta)) and cause in ("", DIRECTION):
            lines, cause = graphs + lines, IN_GRAPH
        else:
            lines += graphs
        fed = fed_differently(original.meta, migrated.meta, _made_alike(outcome, original))
        if fed:  # a fact, and the first of the step: what the updates show follows from it
            lines, cause = fed + lines, FED
        return replace(outcome, details=outcome.details + lines, cause=cause)

    return check_and_diagnose


def _made_alike(outcome: Outcome, original: Trace) -> int | None:
    """Returns how many steps were made before the first that differs, None where none is named."""
    if outcome.first is None or outcome.first.step is None:
        return None
    rows = np.flatnonzero(original.step == outcome.first.step)
    return int(rows[0]) if len(rows) else None


def _joined(*figures: str) -> str:
    return ", ".join(figure for figure in figures if figure)


@dataclass(frozen=True)
class Comparison:
    """What a rung compares.

    Attributes:
        name: in words.
        check: compares two recordings.
        is_ordered: whether it depends on the order of the workers' steps, which is left to chance
            where they run freely.
        is_of_whole: whether it compares what is made after the last step, too.
        name_of_clusters: its name where the programs are clusters, "" where it is the same.
    """

    name: str
    check: Check
    is_ordered: bool = False
    name_of_clusters: str = ""
    is_of_whole: bool = False


CHECKPOINTS = "same checkpoints"
LADDER = (
    Comparison("both train the same steps", steps, False, "all train the same steps"),
    Comparison("same trainable variables", trainable_variables),
    Comparison("same initial values, batch", start),
    Comparison("same loss at every step", losses, True),
    Comparison("same variables and slots", variables, True),
    Comparison("same calls and results", results, True, is_of_whole=True),
    Comparison(CHECKPOINTS, checkpoints),
    Comparison("same exports", exports, is_of_whole=True),
    Comparison("same files and hooks", written, True, is_of_whole=True),
)
_FREE = compare.by_chance(
    "Workers run freely: which updates of each other they see depends on timing."
)
_CUT = Outcome(
    True,
    "not compared",
    "",
    ("The original's trace is of the whole program, the migrated program was ended before.",),
    skipped=True,
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
    """The result of comparing two traces.

    Attributes:
        rungs: all rungs, in order.
        warnings: what the user should know about the comparison itself.
        ended_at: the last step with finite numbers in both programs; None where all have them.
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
        """The first rung that is not decided, where none fails."""
        open_ones = (rung for rung in self.rungs if rung.verdict == "not decided")
        return next(open_ones, None) if self.failed is None else None

    @property
    def word(self) -> str:
        """One of "same", "different" and "not decided"."""
        if self.failed is not None:
            return "different"
        return "same" if self.same else "not decided"

    @property
    def cause(self) -> str | None:
        """The code of the difference, or of what is open; None where all is the same."""
        if (failed := self.failed) is not None and failed.outcome is not None:
            return failed.outcome.cause or OF_RUNGS[failed.number - 1]
        return None if self.same else NOT_DECIDED

    @property
    def failed(self) -> Rung | None:
        """The rung that does not hold."""
        return next((rung for rung in self.rungs if rung.verdict == "different"), None)

    def with_outcome(self, name: str, outcome: Outcome) -> Verdict:
        """Returns the verdict with the outcome of a rung, by its name, replaced."""
        rungs = [replace(r, outcome=outcome) if r.name == name else r for r in self.rungs]
        return replace(self, rungs=tuple(rungs))

    def with_rung(self, name: str, outcome: Outcome) -> Verdict:
        """Returns the verdict with a further rung."""
        return replace(self, rungs=(*self.rungs, Rung(len(self.rungs) + 1, name, outcome)))

    def with_details(self, *lines: str, first: bool = False) -> Verdict:
        """Returns the verdict with further details, last or first, of the rung that fails."""
        failed = self.failed
        assert failed is not None and failed.outcome is not None
        known_details = failed.outcome.details
        details = (*lines, *known_details) if first else (*known_details, *lines)
        return self.with_outcome(failed.name, replace(failed.outcome, details=details))


def climb(
    original: Trace | Recording,
    migrated: Trace | Recording,
    tolerance: Tolerance,
    warnings: tuple[str, ...] = (),
) -> Verdict:
    """Compares what was recorded of two programs rung by rung, up to the first that does not hold.

    Where workers run freely, steps, losses and variables depend on chance. These rungs are skipped
    then; ``free_randomness.compared_freely`` compares several runs.

    Args:
        original: the original's; a trace is that of one process.
        migrated: the migrated program's.
        tolerance: how close they must be.
        warnings: what the user should know about the comparison itself.
    """
    whole = Recording.of(original), Recording.of(migrated)
    old, new = compare_tasks.with_common_steps(*compare_tasks.with_seen_steps(*whole))
    tolerance = tolerance.at_steps_of(old.chief)
    freely = old.runs_freely or new.runs_freely
    rungs = []
    failed = False
    for number, compared in enumerate(LADDER, start=1):
        outcome = None
        if not failed:
            sides = whole if compared.check in (steps, written) else (old, new)
            outcome = _FREE
            if compared.is_of_whole and old.chief.meta.get("is_cut"):
                outcome = _CUT
            elif not (freely and compared.is_ordered):
                outcome = compared.check(*sides, tolerance)
            failed = not outcome.same
        name = (compared.name_of_clusters if old.is_cluster else "") or compared.name
        rungs.append(Rung(number, name, outcome))
    ended = None if failed or freely else _ended_at(old, new)
    return Verdict(tuple(rungs), warnings + compare_tasks.skipped_turns(old, new), ended)


def _ended_at(original: Recording, migrated: Recording) -> int | None:
    """Returns the last step at which all tasks have finite numbers, None where they always do."""
    pairs = [(trace, migrated.tasks[name]) for name, trace in original.tasks.items()]
    ends = [finite_steps.ended_at(*pair) for pair in pairs if len(pair[0].step)]
    return min((end for end in ends if end is not None), default=None)


def compared_by(
    name: str, original: Trace | Recording, migrated: Trace | Recording, tolerance: Tolerance
) -> Outcome:
    """Returns the outcome of one rung, by its name."""
    check = next(each.check for each in LADDER if name in (each.name, each.name_of_clusters))
    return check(Recording.of(original), Recording.of(migrated), tolerance)
