"""Comparing the calls of Estimators, and what evaluations and predictions return."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfmigrate_runtime.verify.rounding.tolerance import Finding, Tolerance
from tfmigrate_runtime.verify.rungs.compare import (
    Outcome,
    not_recorded,
    rounding_notes,
    worst_figures,
)
from tfmigrate_runtime.verify.rungs.differences import greatest_difference, how_many, only_in_one
from tfmigrate_runtime.verify.traces.trace import Array, Results, Trace
from tfmigrate_runtime.verify.wording import SIDES, counted

_NO_RESULTS = "none made"
_MOST_IN_OLD_TRACES = 64


def calls_and_results(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 6: the same calls of the Estimator, evaluation metrics and predictions."""
    call_outcome = calls(original, migrated, tolerance)
    if not call_outcome.same:
        return call_outcome
    result_outcome = results(original, migrated, tolerance)
    figure = (
        call_outcome.figure
        if result_outcome.figure == _NO_RESULTS
        else f"{call_outcome.figure}, {result_outcome.figure}"
    )
    details = call_outcome.details + result_outcome.details
    skipped = call_outcome.skipped and result_outcome.figure == _NO_RESULTS
    missing = (*call_outcome.not_compared, *result_outcome.not_compared)
    return Outcome(
        result_outcome.same,
        figure,
        result_outcome.tolerance,
        details,
        skipped,
        not_compared=missing,
    )


def calls(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """The same calls of the Estimator, in the same order at the same global steps."""
    lacking = not_recorded(
        "calls of the Estimator",
        *(original.calls, migrated.calls),
        figure="calls not recorded",
        not_compared=("calls (not recorded)",),
    )
    if lacking is not None:
        return lacking
    old, new = ([_call(call) for call in trace.calls or ()] for trace in (original, migrated))
    if old == new:
        return Outcome(True, counted(len(new), "call"))
    first = next(
        (i for i, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), None
    )
    position = min(len(old), len(new)) if first is None else first
    sides = list(zip(SIDES, (old, new), strict=True))
    differing_calls = [
        f"{side_calls[position] if position < len(side_calls) else 'no further call'} in the {name}"
        for name, side_calls in sides
    ]
    details = [f"Call {position + 1} differs: {', '.join(differing_calls)}."]
    details += [
        f"Calls of the {name}: {', '.join(side_calls) or 'none'}." for name, side_calls in sides
    ]
    return Outcome(False, f"{len(old)} and {len(new)} calls", "", tuple(details))


def results(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """The same evaluation metrics and predictions."""
    values: list[_Value] = []
    details = []
    for kind, old, new in (
        ("evaluation", original.evaluations, migrated.evaluations),
        ("prediction", original.predictions, migrated.predictions),
    ):
        if len(old) != len(new):
            details.append(
                f"The original made {counted(len(old), kind)}, the migrated program {len(new)}."
            )
            continue
        if kind == "prediction":
            old, new, lines = rows_in_both(original, migrated)
            details += lines
        for number, (first, second) in enumerate(zip(old, new, strict=True)):
            runs = [getattr(run, f"{kind}s") for run in tolerance.runs]
            noise = [run[number] for run in runs if number < len(run)]
            more, lines = _values(f"{kind} {number + 1}", first, second, noise)
            values += more
            details += lines
    findings, lines = _compared(values, tolerance)
    details += lines
    figure, limit = worst_figures(findings) if findings else (_NO_RESULTS, "")
    notes = () if details else rows_left_out(original, migrated)
    notes += () if details else rounding_notes(findings, tolerance)
    missing = () if findings or details else ("evaluations and predictions (none made)",)
    return Outcome(not details, figure, limit, (*details, *notes), not_compared=missing)


@dataclass(frozen=True)
class _Value:
    """One value that an evaluation or a prediction returned.

    Attributes:
        title: of the evaluation or prediction, with its number.
        name: of the value.
        old: the original's.
        new: the migrated program's, of the same shape.
        noise: of two runs that differ by rounding, () where there are none.
    """

    title: str
    name: str
    old: Array
    new: Array
    noise: tuple[Array, ...]


def _values(
    title: str, old: Results, new: Results, noise: Sequence[Results]
) -> tuple[list[_Value], list[str]]:
    """Returns what can be compared of two results, and how they differ in form."""
    details = [f"{title}: {line}" for line in only_in_one(old, new).values()]
    values = []
    for name in sorted(set(old) & set(new)):
        first, second = np.asarray(old[name]), np.asarray(new[name])
        if first.shape != second.shape:
            details.append(
                f"{title}: {name} is {list(first.shape)} in the original, {list(second.shape)} in "
                "the migrated program."
            )
            continue
        runs = [np.asarray(run[name]) for run in noise if name in run]
        cut = tuple(run[: len(first)] if run.ndim else run for run in runs)
        values.append(_Value(title, name, first, second, cut if len(cut) == 2 else ()))
    return values, details


def _compared(values: Sequence[_Value], tolerance: Tolerance) -> tuple[list[Finding], list[str]]:
    """Compares each value in all evaluations together; describes those that differ."""
    groups: dict[Any, list[_Value]] = {}
    for value in values:
        kind = value.title.partition(" ")[0]
        groups.setdefault((kind, value.name, value.old.shape), []).append(value)
    results, lines = [], []
    for group in groups.values():
        noise = [[value.noise[side] for value in group if value.noise] for side in (0, 1)]
        finding = tolerance.results(
            [value.old for value in group], [value.new for value in group], noise
        )
        results.append(finding)
        lines += [
            (values.index(group[row]), _described(group[row], finding, row))
            for row in finding.beyond
        ]
    return results, [line for _, line in sorted(lines)]


def _described(value: _Value, finding: Finding, row: int) -> str:
    worst = greatest_difference(value.old, value.new)
    line = f"{value.title}: {value.name} is {worst}"
    if value.old.dtype.kind == "f" and finding.size[row]:
        share, limit = (each[row] / finding.size[row] for each in (finding.apart, finding.limit))
        line += f", {share:.2g} of its size apart ({limit:.1g} is allowed)"
    if value.old.size > 1:
        line += f"; {how_many(value.old, value.new, float(finding.limit[row]))} differ"
    return f"{line}."


def _call(call: dict[str, Any]) -> str:
    """Returns the compared properties of a call of the Estimator, in words.

    The arguments ``steps`` and ``max_steps`` are not compared: both can describe the same
    training, and their result is in the global steps.
    """
    if call["kind"] == "train":
        return f"train from step {call['before']} to {call['after']}"
    if call["kind"] == "evaluate":
        name = f" as {call['name']!r}" if call["name"] else ""
        return f"evaluate at step {call['step']}{name}"
    folder = f" to {call['folder']}" if call["folder"] else ""
    return f"export at step {call['step']}{folder}"


def rows_in_both(
    original: Trace, migrated: Trace
) -> tuple[list[Results], list[Results], list[str]]:
    """Returns the rows of predictions that both traces hold, and differences in their numbers.

    Args:
        original: one with as many predictions as the other.
        migrated: the other.
    """
    first, second, details = [], [], []
    counts = [_counts(trace) for trace in (original, migrated)]
    pairs = zip(original.predictions, migrated.predictions, *counts, strict=True)
    for number, (old, new, rows, new_rows) in enumerate(pairs, start=1):
        if None not in (rows, new_rows) and rows != new_rows:
            details.append(
                f"prediction {number}: the original returns {counted(rows, 'row')}, the migrated "
                f"program {new_rows}."
            )
        shared = min(_length(old), _length(new))
        first.append(_cut(old, shared))
        second.append(_cut(new, shared))
    return first, second, details


def rows_left_out(original: Trace, migrated: Trace) -> tuple[str, ...]:
    """Names the predictions of which not all rows were compared."""
    notes = []
    for number, pair in enumerate(
        zip(original.predictions, migrated.predictions, strict=False), start=1
    ):
        compared = min(map(_length, pair))
        counts = [_counts(trace)[number - 1] for trace in (original, migrated)]
        if None in counts:
            text = f"Only the first {compared} rows of prediction {number} were compared: the "
            which = "original" if counts[0] is None else "migrated program"
            notes.append(f"{text}trace of the {which} contains only these. Record it again.")
        elif counts[0] != compared:
            notes.append(
                f"Only the first {compared} of {counts[0]} rows of prediction {number} were "
                "compared."
            )
    return tuple(notes)


def _counts(trace: Trace) -> list[int | None]:
    """Returns how many rows each prediction had, None where that was not recorded."""
    if (recorded := trace.meta.get("prediction_rows")) is None:
        lengths = [_length(rows) for rows in trace.predictions]
        return [None if count == _MOST_IN_OLD_TRACES else count for count in lengths]
    return [count for count in recorded if count]  # one without rows leaves no arrays


def _length(rows: Results) -> int:
    return min((len(values) for values in rows.values() if values.ndim), default=0)


def _cut(rows: Results, count: int) -> Results:
    return {name: values[:count] if values.ndim else values for name, values in rows.items()}
