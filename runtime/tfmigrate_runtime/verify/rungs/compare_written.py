"""Comparing the files that programs write (summaries, checkpoints), and calls of their hooks."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from tfmigrate_runtime.verify import shared
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rounding.updates import is_followed
from tfmigrate_runtime.verify.rungs.compare import Outcome, not_recorded
from tfmigrate_runtime.verify.rungs.differences import first_lines, greatest_difference
from tfmigrate_runtime.verify.traces.trace import Array, Trace
from tfmigrate_runtime.verify.wording import SIDES, counted

_TOWER = re.compile(r"(?:tower|replica)_[1-9]\d*/")
# Scalars without comparable values: of a clock, or read before or after the step by chance.
_NOT_COMPARED = ("speed", "state")
Key = tuple[str, str, str]  # folder, tag, kind
Series = dict[int, list[float]]  # values by step


def written(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """The same summaries, checkpoints and calls of hooks."""
    recorded = [trace.meta.get("written") for trace in (original, migrated)]
    if (lacking := not_recorded("files and hooks", *recorded)) is not None:
        return lacking
    old, new = recorded[0] or {}, recorded[1] or {}
    if not any(one[key] for one in (old, new) for key in ("events", "saves", "hooks")):
        return Outcome(True, "none written", "", skipped=True)
    series = [_series(trace) for trace in (original, migrated)]
    details = [
        *_other_hooks(old["hooks"], new["hooks"]),
        *_other_saves(old, new),
        *_other_summaries(series[0], series[1], tolerance, _without_values(old, new)),
        *_other_contents(original, migrated, tolerance),
    ]
    counts = [len(series[1]), sum(not save["timed"] for save in new["saves"]), len(new["hooks"])]
    words = (("summary", "summaries"), ("checkpoint", "checkpoints"), ("hook", "hooks"))
    figure = ", ".join(counted(n, *word) for n, word in zip(counts, words, strict=True) if n)
    if details:
        return Outcome(False, f"{len(details)} differ", "", first_lines(details))
    more = sorted({key[1] for key in series[1]} - {key[1] for key in series[0]})
    notes = [f"Only the migrated program writes the summaries {', '.join(more)}."] if more else []
    towers = sorted(
        tag
        for folder, tag, kind in series[0].keys() - series[1].keys()
        if _of_other_tower(folder, tag, kind, series[1])
    )
    if towers:
        text = "The migrated program writes only the summaries of its first replica, not"
        notes.append(f"{text} {', '.join(towers)}.")
    if left_out := old["left_out"] + new["left_out"]:
        notes.append(f"Not compared: {counted(left_out, 'tensor')} in checkpoints, too large.")
    if max(len(old["events"]), len(new["events"])) >= shared.MOST_EVENTS:
        notes.append(f"Only the first {shared.MOST_EVENTS} summaries were compared.")
    limit = f"{tolerance.share:.0e}" if series[1] else ""
    return Outcome(True, figure or "timer-driven only", limit, first_lines(notes))


def _other_hooks(old: Mapping[str, int], new: Mapping[str, int]) -> Iterator[str]:
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            counts = [
                f"not used in the {side}"
                if calls is None
                else f"called {counted(calls, 'time')} in the {side}"
                for side, calls in zip(SIDES, (old.get(name), new.get(name)), strict=True)
            ]
            yield f"Hook {name}: {', '.join(counts)}."


def _identity(save: Mapping[str, Any]) -> tuple[str, str, int]:
    return save["folder"], save["name"], save["steps"]


def _positions(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    """Returns the saves of both that no clock decided on.

    A checkpoint that only the migrated program writes again at once counts as one, the last.
    """
    sides = [
        [number for number, save in enumerate(one["saves"]) if not save["timed"]]
        for one in (old, new)
    ]
    names = [_identity(save) for save in new["saves"]]
    again = {number for number, after in pairwise(sides[1]) if names[number] == names[after]}
    once = [number for number in sides[1] if number not in again]
    if [names[number] for number in once] == [_identity(old["saves"][n]) for n in sides[0]]:
        return sides[0], once
    return sides[0], sides[1]


def _other_saves(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    positions = zip((old, new), _positions(old, new), strict=True)
    sides = [[_identity(one["saves"][number]) for number in place] for one, place in positions]
    if sides[0] != sides[1]:
        for index, (which, other) in enumerate(((0, 1), (1, 0))):
            if only := [save for save in sides[which] if save not in sides[other]]:
                shown = ", ".join(f"{name} after step {steps}" for _, name, steps in only[:4])
                folder = only[0][0]
                yield f"Only the {SIDES[index]} writes checkpoints {shown} to {folder}."
        if sorted(sides[0]) == sorted(sides[1]):
            yield "The same checkpoints are written in a different order."
        elif set(sides[0]) == set(sides[1]):
            counts = [
                f"{len(saves)} by the {side}" for saves, side in zip(sides, SIDES, strict=True)
            ]
            yield f"The same checkpoints are written, but {counts[0]} and {counts[1]}."
        return
    by_clock = {save["folder"] for one in (old, new) for save in one["saves"] if save["timed"]}
    for folder in sorted(old["kept"].keys() & new["kept"].keys() - by_clock):
        if old["kept"][folder] != new["kept"][folder]:
            left = [", ".join(one["kept"][folder]) or "none" for one in (old, new)]
            yield (
                f"Checkpoints in {folder} at the end: {left[0]} in the original, {left[1]} in the "
                "migrated program."
            )


def _series(trace: Trace) -> dict[Key, Series]:
    """Returns all summaries that are not timer-driven."""
    summaries: dict[Key, Series] = {}
    for index, (folder, tag, kind, step, timed) in enumerate(trace.meta["written"]["events"]):
        kind = "scalar" if kind in _NOT_COMPARED else kind
        if not timed:
            values = summaries.setdefault((folder, tag, kind), {}).setdefault(step, [])
            values.append(float(trace.event_values[index]))
    return summaries


def _without_values(*recorded: Mapping[str, Any]) -> set[str]:
    """Returns the tags of scalars of which only the steps are compared."""
    return {event[1] for one in recorded for event in one["events"] if event[2] in _NOT_COMPARED}


def _other_summaries(
    old: Mapping[Key, Series],
    new: Mapping[Key, Series],
    tolerance: Tolerance,
    without_values: set[str],
) -> Iterator[str]:
    others = [_series(run) for run in tolerance.runs if "written" in run.meta]
    for (folder, tag, kind), first in old.items():
        name = f"The summary {tag!r} ({kind}) in {folder}"
        second = new.get((folder, tag, kind))
        if second is None and _of_other_tower(folder, tag, kind, new):
            continue
        if second is None:
            yield f"{name} is written by the original only."
            continue
        counts = [{step: len(values) for step, values in one.items()} for one in (first, second)]
        if counts[0] != counts[1]:
            steps = [", ".join(map(str, list(one)[:6])) for one in (first, second)]
            step = min(s for s in {*first, *second} if counts[0].get(s) != counts[1].get(s))
            times = [counted(one.get(step, 0), "time") for one in counts]
            yield (
                f"{name} is written at steps {steps[0]} by the original, at {steps[1]} by the "
                f"migrated program: at step {step} {times[0]} and {times[1]}."
            )
            continue
        if kind != "scalar" or tag in without_values:
            continue
        values = [[np.array(x) for step in first for x in one[step]] for one in (first, second)]
        rounding = [
            [np.array(x) for step in first for x in one[folder, tag, kind].get(step, ())]
            for one in others
            if (folder, tag, kind) in one
        ]
        finding = tolerance.results(values[0], values[1], rounding)
        if len(finding.beyond):
            row = int(np.argmax(finding.quotients))
            worst = greatest_difference(values[0][row], values[1][row])
            yield f"{name} differs by up to {worst.size:.3g}: {worst}."


def _of_other_tower(folder: str, tag: str, kind: str, new: Mapping[Key, Series]) -> bool:
    """Whether a summary is that of a tower after the first: replicas write only the first's."""
    return _TOWER.search(tag) is not None and (folder, _TOWER.sub("", tag), kind) in new


def _other_contents(original: Trace, migrated: Trace, tolerance: Tolerance) -> Iterator[str]:
    """Compares tensors of checkpoints that differ from the values after the last step."""
    saves = [trace.meta["written"]["saves"] for trace in (original, migrated)]
    positions = _positions(original.meta["written"], migrated.meta["written"])
    for number, other in zip(*positions, strict=False):
        old, new = saves[0][number], saves[1][other]
        name = f"Checkpoint {old['name']} after step {old['steps']}"
        for missing in sorted({*old["tensors"]} - {*new["tensors"]})[:2]:
            yield f"{name}: {missing} is only in the original's."
        # Before the first step a program still has its own initial values: rung 3 judges them.
        own = migrated.drawn.keys() if old["steps"] == 0 else set()
        for tensor in sorted(({*old["tensors"]} & {*new["tensors"]}) - own):
            first = tensor_of(original, number, tensor, old["steps"])
            second = tensor_of(migrated, other, tensor, new["steps"])
            if f"saved/{other}/{tensor}" not in migrated.saved and is_followed(migrated, tensor):
                # It holds what it was given after the step, which is the original's.
                second = tensor_of(replace(original, saved={}), 0, tensor, new["steps"])
            if first is None or second is None:
                continue
            if first.shape != second.shape:
                yield f"{name}: {tensor} has another shape."
                continue
            if tolerance.with_old_averages(original).is_apart(tensor, first, second):
                size = greatest_difference(first, second).size
                yield f"{name}: {tensor} differs by {size:.3g}."


def tensor_of(trace: Trace, number: int, name: str, steps: int) -> Array | None:
    """Returns a tensor of a checkpoint, as far as it is known.

    Args:
        trace: of the program that wrote it.
        number: of the checkpoint, from 0.
        name: of the tensor.
        steps: made before.
    """
    if (stored := trace.saved.get(f"saved/{number}/{name}")) is not None or trace.models:
        return stored
    if not steps:
        return trace.initial.get(name)
    rows = np.flatnonzero(trace.variable_step == trace.step[min(steps, len(trace.step)) - 1])
    return trace.variables[name][rows[-1]] if len(rows) and name in trace.variables else None
