"""Comparing the tasks of two recordings: which train, where variables are placed, all together.

A program of one process has one task, whose outcome is the program's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare import Check, Outcome
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.trace import Trace, at_common_steps, at_seen_steps, models_of
from tfmigrate_runtime.verify.wording import counted


def with_seen_steps(original: Recording, migrated: Recording) -> tuple[Recording, Recording]:
    """Returns both without the steps that a program in lock-step made together with others."""
    return _changed(original, migrated, at_seen_steps)


def with_common_steps(original: Recording, migrated: Recording) -> tuple[Recording, Recording]:
    """Returns both with the variables of only those steps that both of a task recorded."""
    return _changed(original, migrated, at_common_steps)


def _changed(
    original: Recording, migrated: Recording, change: Callable[[Trace, Trace], tuple[Trace, Trace]]
) -> tuple[Recording, Recording]:
    pairs = {
        name: _changed_models(trace, migrated.tasks[name], change)
        for name, trace in original.tasks.items()
        if name in migrated.tasks
    }
    first, second = (
        replace(run, tasks={**run.tasks, **{name: pair[i] for name, pair in pairs.items()}})
        for i, run in enumerate((original, migrated))
    )
    return first, second


def _changed_models(
    first: Trace, second: Trace, change: Callable[[Trace, Trace], tuple[Trace, Trace]]
) -> tuple[Trace, Trace]:
    """Returns the traces of a task with all its models changed, the further ones in pairs."""
    pair = change(first, second)
    count = min(len(first.models), len(second.models))
    further = [change(*models) for models in zip(first.models, second.models, strict=False)]
    changed = [
        replace(trace, models=[*(models[i] for models in further), *trace.models[count:]])
        for i, trace in enumerate(pair)
    ]
    return changed[0], changed[1]


def each(check: Check, original: Recording, migrated: Recording, tolerance: Tolerance) -> Outcome:
    """Compares every task that trains."""
    outcomes = {}
    for name, old in original.tasks.items():
        new = migrated.tasks[name]
        if len(old.step) and len(new.step):
            outcomes[name] = check(old, new, tolerance.of_task(name).at_steps_of(old))
        elif len(old.step) or len(new.step):
            counts = f"{len(old.step)} and {len(new.step)} steps"
            which = "original" if len(old.step) else "migrated program"
            outcomes[name] = Outcome(False, counts, "", (f"This task trains only in the {which}.",))
    return _together(outcomes) if original.is_cluster else next(iter(outcomes.values()))


def _together(outcomes: Mapping[str, Outcome]) -> Outcome:
    """Returns the outcomes of all tasks as one."""
    failed = {name: outcome for name, outcome in outcomes.items() if not outcome.same}
    shown = failed or outcomes
    details = [f"{name}: {line}" for name, outcome in shown.items() for line in outcome.details]
    if failed:
        name, first = next(iter(failed.items()))
        return replace(first, figure=f"{name}: {first.figure}", details=tuple(details))
    skipped = all(outcome.skipped for outcome in outcomes.values())
    compared = [outcome for outcome in outcomes.values() if skipped or not outcome.skipped]
    figure = _worst([outcome.figure for outcome in compared])
    limit = _worst([outcome.tolerance for outcome in compared])
    missing = tuple(f"{name}: {x}" for name, o in outcomes.items() for x in o.not_compared)
    decided = all(outcome.decided for outcome in outcomes.values())
    lines = tuple(dict.fromkeys(details))
    return Outcome(True, figure, limit, lines, skipped, not_compared=missing, decided=decided)


def _worst(figures: Sequence[str]) -> str:
    """Returns the largest of figures that are numbers, else each once."""
    try:
        return max(figures, key=float, default="")
    except ValueError:
        return ", ".join(dict.fromkeys(figures))


def tasks(original: Recording, migrated: Recording) -> Outcome:
    """The same tasks train, and together where they did."""
    old, new = list(original.tasks), list(migrated.tasks)
    if old != new:
        lines = [
            f"Tasks that train: {', '.join(old)} in the original, {', '.join(new)} in the migrated "
            "program."
        ]
        if len(new) == 1 and _in_step(original):
            lines.append("If it trains on as many replicas, pass --migrated-cluster none.")
        return Outcome(False, f"{len(old)} and {len(new)} tasks", "", tuple(lines))
    if len(old) > 1 and _in_step(original) and not _in_step(migrated):
        details = (
            "The workers of the original train synchronously: one step applies the gradients of "
            "all workers. Each worker of the migrated program applies only its own: a "
            "SyncReplicasOptimizer or a synchronous strategy is missing (TFM303).",
        )
        return Outcome(False, "synchrony lost", "", details)
    return Outcome(True, counted(len(new), "task") if original.is_cluster else "")


def lost_replicas(original: Recording, migrated: Recording) -> Outcome | None:
    """Returns the finding that a process trains on fewer replicas than the original's towers.

    Its numbers may be the same: one replica can train on the whole batch.
    """
    if original.is_cluster:
        return None
    for models in zip(models_of(original.chief), models_of(migrated.chief), strict=False):
        old, new = (model.replicas_built for model in models)
        if old is None or new is None or new >= old:
            continue
        details = (
            f"The original trains on {old} towers or replicas, the migrated program on {new}: the "
            "distribution is lost. Check its strategy, and its own option for the number of GPUs.",
        )
        return Outcome(False, f"{new} of {old} replicas", "", details)
    return None


def _in_step(recording: Recording) -> bool:
    """Whether the workers make their steps together."""
    return recording.synchronous or recording.mirrored


def placement(original: Recording, migrated: Recording) -> Outcome:
    """Every variable is on the task and device of the cluster that it was on."""
    if not original.is_cluster:
        return Outcome(True, "", "")
    if migrated.mirrored and not original.mirrored:
        reason = "The migrated program mirrors its variables on the workers."
        return Outcome(True, "mirrored", "", (reason,))
    old, new = original.placement, migrated.placement
    details = tuple(
        f"{name} is on {_shown(original, old[name])} in the original, on "
        f"{_shown(migrated, new[name])} in the migrated program."
        for name in old
        if name in new and original.place(old[name]) != migrated.place(new[name])
    )
    return Outcome(
        not details, f"{len(details)} of {len(old)} differ" if details else "", "", details
    )


def _shown(recording: Recording, device: str) -> str:
    """Returns a device, with its task where the program does not name one."""
    if "/job:" in device and "/task:" in device:
        return device
    job, task, kind = recording.place(device)
    return f"/job:{job}/task:{task}/device:{kind}"


def other_copies(migrated: Recording) -> tuple[str, ...]:
    """Names mirrored variables that do not start from the chief's values on another worker."""
    if not migrated.mirrored:
        return ()
    chief = {**migrated.chief.initial, **migrated.chief.drawn}
    return tuple(
        f"The initial value of {name} on {task} differs from the chief's."
        for task, trace in migrated.tasks.items()
        for name, value in {**trace.initial, **trace.drawn}.items()
        if name in chief and chief[name].tobytes() != value.tobytes()
    )


def skipped_turns(original: Recording, migrated: Recording) -> tuple[str, ...]:
    """Warns of turns that were not waited for: later results depend on timing."""
    return tuple(
        f"{name} of the {which} did not wait for {counted(task.meta['skipped'], 'turn')} of other "
        "workers: later results depend on timing"
        for which, recording in (("original", original), ("migrated program", migrated))
        for name, task in recording.tasks.items()
        if task.meta.get("skipped")
    )
