"""The ladder for clusters: every worker's losses, the chief's variables, and where these are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tfmigrate_runtime.verify import (
    compare,
    compare_batch,
    compare_checkpoints,
    compare_exports,
    compare_initial,
    compare_models,
    finite_steps,
)
from tfmigrate_runtime.verify.cluster_trace import ClusterTrace
from tfmigrate_runtime.verify.compare import Outcome
from tfmigrate_runtime.verify.compare_models import of_every_model
from tfmigrate_runtime.verify.diagnosis import diagnose
from tfmigrate_runtime.verify.ladder import Rung, Verdict
from tfmigrate_runtime.verify.run_statistics import FINAL_LOSS, measured
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Trace, at_common_steps

Check = Callable[[ClusterTrace, ClusterTrace, Tolerance], Outcome]


def final_loss(trace: ClusterTrace) -> float:
    """Returns the mean loss of all workers over the last quarter of their steps."""
    return measured(trace.tasks)[FINAL_LOSS]


def runs_freely(trace: ClusterTrace) -> bool:
    """Whether the order of the workers' steps was left to chance."""
    return len(trace.tasks) > 1 and not trace.turns and not trace.synchronous


def climb_cluster(
    original: ClusterTrace,
    migrated: ClusterTrace,
    tolerance: Tolerance,
    warnings: tuple[str, ...] = (),
) -> Verdict:
    """Compares two traces of clusters rung by rung, up to the first that does not hold.

    Where workers run freely, steps, losses and variables depend on chance. These rungs are left out
    then; ``free_randomness.compared_freely`` compares several runs.

    Args:
        original: the original's.
        migrated: the migrated program's.
        tolerance: how close they must be.
        warnings: what the user should know about the comparison itself.
    """
    freely = runs_freely(original) or runs_freely(migrated)
    rungs = _FREE_RUNGS if freely else _RUNGS
    climbed = []
    failed = False
    for number, (name, check) in enumerate(rungs, start=1):
        outcome = None if failed else check(original, migrated, tolerance)
        failed = failed or (outcome is not None and not outcome.same)
        climbed.append(Rung(number, name, outcome))
    ends = [] if failed or freely else _ends(original, migrated)
    skipped = tuple(_skipped_turns(original, migrated))
    return Verdict(tuple(climbed), warnings + skipped, min(ends, default=None))


def steps(original: ClusterTrace, migrated: ClusterTrace, tolerance: Tolerance) -> Outcome:
    """Rung 1: the same tasks train the same steps."""
    found = tasks(original, migrated, tolerance)
    if found.same and len(original.tasks) > 1 and _in_step(original) and not _in_step(migrated):
        details = (
            "The original's workers train synchronously: one step applies the gradients of all of "
            "them. Those of the migrated program are not synchronous: each applies its own. Its "
            "SyncReplicasOptimizer or synchronous strategy was lost (TFM303).",
        )
        return Outcome(False, "synchrony lost", "", details)
    if not found.same or runs_freely(original) or runs_freely(migrated):
        return found
    made = _each(compare_models.steps)(original, migrated, tolerance)
    return replace(made, figure=f"{found.figure}, {made.figure}" if made.same else made.figure)


def _ends(original: ClusterTrace, migrated: ClusterTrace) -> list[int]:
    """Returns the last steps at which tasks have numbers, of those that stop having some."""
    pairs = [(trace, migrated.tasks[name]) for name, trace in original.tasks.items()]
    found = [finite_steps.ended_at(*pair) for pair in pairs if len(pair[0].step)]
    return [end for end in found if end is not None]


def _in_step(trace: ClusterTrace) -> bool:
    """Whether the workers make their steps together."""
    return trace.synchronous or trace.mirrored


def tasks(original: ClusterTrace, migrated: ClusterTrace, tolerance: Tolerance) -> Outcome:
    """The same tasks train."""
    del tolerance
    old, new = list(original.tasks), list(migrated.tasks)
    details = (
        f"In the original {', '.join(old)} train, in the migrated program {', '.join(new)}.",
    )
    return Outcome(old == new, f"{len(new)} tasks", "", () if old == new else details)


def start(original: ClusterTrace, migrated: ClusterTrace, tolerance: Tolerance) -> Outcome:
    """Rung 3: the same initial values, and the same first batch of every worker."""
    values = initial_values(original, migrated, tolerance)
    if not values.same:
        return values
    batches = _each(compare_batch.start_of_worker)(original, migrated, tolerance)
    batches = _diagnosed(batches, original, migrated, tolerance)
    return replace(
        batches,
        figure=f"{values.figure}, {batches.figure}",
        tolerance=values.tolerance,
        details=values.details + batches.details,
        reservations=values.reservations,
    )


def initial_values(original: ClusterTrace, migrated: ClusterTrace, tolerance: Tolerance) -> Outcome:
    """The chief starts from the same values, and mirrored copies from those of the chief."""
    outcome = compare_initial.initial_values(original.chief, migrated.chief, tolerance)
    if not outcome.same or not migrated.mirrored:
        return outcome
    chief = {**migrated.chief.initial, **migrated.chief.drawn}
    details = tuple(
        f"{name} starts from other values on {task} than on the chief."
        for task, trace in migrated.tasks.items()
        for name, value in {**trace.initial, **trace.drawn}.items()
        if name in chief and chief[name].tobytes() != value.tobytes()
    )
    if details:
        return Outcome(False, f"{len(details)} copies differ", "bit for bit", details)
    return outcome


def placement(original: ClusterTrace, migrated: ClusterTrace, tolerance: Tolerance) -> Outcome:
    """Every variable is on the task and device that it was on."""
    del tolerance
    if migrated.mirrored and not original.mirrored:
        reason = "The migrated program mirrors its variables on the workers."
        return Outcome(True, "mirrored", "", (reason,), skipped=True)
    old, new = original.placement, migrated.placement
    details = tuple(
        f"{name} is on {_shown(original, old[name])} in the original, on "
        f"{_shown(migrated, new[name])} in the migrated program."
        for name in old
        if name in new and original.place(old[name]) != migrated.place(new[name])
    )
    figure = f"{len(details)} of {len(old)} differ" if details else f"{len(old)} variables"
    return Outcome(not details, figure, "", details)


def _shown(trace: ClusterTrace, device: str) -> str:
    """Returns a device, with its task where the program named none."""
    if "/job:" in device and "/task:" in device:
        return device
    job, task, kind = trace.place(device)
    return f"/job:{job}/task:{task}/device:{kind}"


def variables_and_places(
    original: ClusterTrace, migrated: ClusterTrace, tolerance: Tolerance
) -> Outcome:
    """Rung 2: the same trainable variables, in the same places."""
    found = compare.trainable_variables(original.chief, migrated.chief, tolerance)
    if not found.same:
        return found
    places = placement(original, migrated, tolerance)
    figure = f"{found.figure}, {places.figure}" if places.skipped else found.figure
    details = found.details + places.details
    return Outcome(places.same, figure if places.same else places.figure, "", details)


def _each(check: Callable[[Trace, Trace, Tolerance], Outcome]) -> Check:
    """Returns a comparison of clusters that makes one of programs for each task."""

    def check_all(original: ClusterTrace, migrated: ClusterTrace, tolerance: Tolerance) -> Outcome:
        outcomes = {}
        for name, old in original.tasks.items():
            new = migrated.tasks[name]
            if len(old.step) and len(new.step):
                outcomes[name] = check(*at_common_steps(old, new), tolerance)
            elif len(old.step) or len(new.step):
                counts = f"{len(old.step)} and {len(new.step)} steps"
                which = "original" if len(old.step) else "migrated program"
                outcomes[name] = Outcome(False, counts, "", (f"It trains only in the {which}.",))
        return _together(outcomes)

    return check_all


def _told_why(check: Check) -> Check:
    """Returns a comparison of clusters that says what its first difference tells of the cause."""

    def check_and_tell(
        original: ClusterTrace, migrated: ClusterTrace, tolerance: Tolerance
    ) -> Outcome:
        outcome = check(original, migrated, tolerance)
        return _diagnosed(outcome, original, migrated, tolerance)

    return check_and_tell


def _diagnosed(
    outcome: Outcome, original: ClusterTrace, migrated: ClusterTrace, tolerance: Tolerance
) -> Outcome:
    """Adds what the updates of the first worker that differs say, where workers do differ."""
    if outcome.same:
        return outcome
    for name, old in original.tasks.items():
        new = migrated.tasks.get(name)
        if new is None or not len(old.step) or not len(new.step):
            continue
        told = diagnose(*at_common_steps(old, new), tolerance, workers=len(migrated.tasks))
        if told:
            lines = tuple(f"{name}: {line}" for line in told)
            return replace(outcome, details=outcome.details + lines)
    return outcome


def _of_chief(check: Callable[[Trace, Trace, Tolerance], Outcome]) -> Check:
    def check_chief(
        original: ClusterTrace, migrated: ClusterTrace, tolerance: Tolerance
    ) -> Outcome:
        return check(original.chief, migrated.chief, tolerance)

    return check_chief


def _left_to_chance(
    original: ClusterTrace, migrated: ClusterTrace, tolerance: Tolerance
) -> Outcome:
    del original, migrated, tolerance
    reason = "Workers run freely: what they see of each other's updates is left to chance."
    return Outcome(True, "free", "", (reason,), skipped=True)


def _together(outcomes: Mapping[str, Outcome]) -> Outcome:
    """Returns the outcomes of all tasks as one."""
    failed = {name: outcome for name, outcome in outcomes.items() if not outcome.same}
    shown = failed or outcomes
    details = [f"{name}: {line}" for name, outcome in shown.items() for line in outcome.details]
    if failed:
        name, first = next(iter(failed.items()))
        return Outcome(False, f"{name}: {first.figure}", first.tolerance, tuple(details))
    figure = _worst([outcome.figure for outcome in outcomes.values()])
    limit = _worst([outcome.tolerance for outcome in outcomes.values()])
    missing = tuple(f"{name}: {x}" for name, o in outcomes.items() for x in o.not_compared)
    decided = all(outcome.decided for outcome in outcomes.values())
    lines = tuple(dict.fromkeys(details))
    return Outcome(True, figure, limit, lines, not_compared=missing, decided=decided)


def _worst(figures: Sequence[str]) -> str:
    """Returns the greatest of figures that are numbers, otherwise each once."""
    try:
        return max(figures, key=float, default="")
    except ValueError:
        return ", ".join(dict.fromkeys(figures))


def _skipped_turns(original: ClusterTrace, migrated: ClusterTrace) -> list[str]:
    """Warns of turns that were not waited for: what followed depended on chance."""
    return [
        f"{name} of the {which} did not wait for {task.meta['skipped']} turns of other workers"
        for which, trace in (("original", original), ("migrated program", migrated))
        for name, task in trace.tasks.items()
        if task.meta.get("skipped")
    ]


_LOSSES, _VARIABLES = "same loss at every step", "same variables and slots"
_RESULTS = "same calls and results"
_BEFORE: tuple[tuple[str, Check], ...] = (
    ("all train the same steps", steps),
    ("same trainable variables", variables_and_places),
    ("same initial values, batch", start),
)
_AFTER: tuple[tuple[str, Check], ...] = (
    ("same checkpoints", _of_chief(compare_checkpoints.checkpoints)),
    ("same exports", _of_chief(compare_exports.exports)),
)
_RUNGS: tuple[tuple[str, Check], ...] = (
    *_BEFORE,
    (_LOSSES, _told_why(_each(of_every_model(finite_steps.losses)))),
    (_VARIABLES, _told_why(_each(of_every_model(finite_steps.variables)))),
    (_RESULTS, _of_chief(finite_steps.calls_and_results)),
    *_AFTER,
)
_FREE_RUNGS: tuple[tuple[str, Check], ...] = (
    *_BEFORE,
    *((name, _left_to_chance) for name in (_LOSSES, _VARIABLES, _RESULTS)),
    *_AFTER,
)
