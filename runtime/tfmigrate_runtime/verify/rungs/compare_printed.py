"""Comparing the numbers that two programs print of their evaluations.

A loop without sessions need not return its evaluations to anything that verify sees: validation
with batch normalization in training mode, or on the training data, was "the same". What it prints
is compared where the original prints the same text after the same step, with numbers that its
sessions have returned there without training: times and counts are none of these, and what is
printed of training steps (a loss with regularization, or without) is left to each program.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tfmigrate_runtime.verify.rounding.tolerance import FACTOR, Tolerance
from tfmigrate_runtime.verify.rungs.compare import Outcome
from tfmigrate_runtime.verify.rungs.compare_fetches import Run, runs_of
from tfmigrate_runtime.verify.traces.trace import Trace
from tfmigrate_runtime.verify.wording import counted

_SHARE = 1e-3  # of a number, besides a unit of the last place that is printed
_LEAST_UNITS = 100  # of a number that is no result by chance: seconds such as 0.5 may be
_Place = tuple[int, str, int, int]  # step, text, which line of it, which number of that


class _Number(NamedTuple):
    value: float
    unit: float


def printed_results(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome | None:
    """Compares what both print of results of sessions; None where they print none in common."""
    old, new = _numbers(original), _numbers(migrated)
    evaluated = _evaluated(original, old)
    # What Keras evaluates has its regularizers in the loss.
    losses = [float(each["loss"]) for each in migrated.evaluations if "loss" in each]
    places = [p for p in evaluated if p in new and not _is_result(new[p], losses)]
    if not places:
        return None
    noise = _noise(tolerance.runs)
    for place in places:
        first, second = old[place], new[place]
        limit = max(first.unit, second.unit) + _SHARE * abs(first.value)
        limit += FACTOR * noise.get(place, 0.0)
        if abs(second.value - first.value) > limit:
            text = (
                f"After step {place[0]} the original prints {first.value:.9g}, an evaluation, and "
                f"the migrated program {second.value:.9g}, in {place[1]!r}."
            )
            return Outcome(False, "other evaluations printed", "", (text,))
    return Outcome(True, f"{counted(len(places), 'printed number')}", f"{_SHARE:.0e}")


def _numbers(trace: Trace) -> dict[_Place, _Number]:
    """Returns the numbers that a program prints after its first step, by their places."""
    counts: dict[tuple[int, str], int] = {}
    numbers = {}
    for step, text, of_line in trace.meta.get("printed") or ():
        count = counts[step, text] = counts.get((step, text), 0) + 1
        for position, number in enumerate(of_line if step else ()):
            numbers[step, text, count, position] = _Number(*number)
    return numbers


def _evaluated(original: Trace, numbers: dict[_Place, _Number]) -> list[_Place]:
    """Returns the places of what is a result of sessions wherever this text is printed."""
    results = {step: _results(runs) for step, runs in _by_step(runs_of(original))}
    columns: dict[tuple[str, int, int], list[_Place]] = {}
    for place in numbers:
        columns.setdefault(place[1:], []).append(place)
    return [
        place
        for places in columns.values()
        if all(_is_result(numbers[p], results.get(p[0], ())) for p in places)
        and any(abs(numbers[p].value) >= _LEAST_UNITS * numbers[p].unit for p in places)
        for place in places
    ]


def _by_step(runs: Sequence[Run]) -> Iterator[tuple[int, list[Run]]]:
    for step in dict.fromkeys(step for step, _ in runs):
        yield step, [run for run in runs if run[0] == step]


def _results(runs: Sequence[Run]) -> list[float]:
    """Returns the single numbers that the runs after a step return, and their means."""
    by_form: dict[str, list[float]] = {}
    for _, values in runs:
        for place, (form, numbers) in enumerate(values):
            if len(numbers) == 1:
                by_form.setdefault(f"{place} {form}", []).append(float(numbers[0]))
    return [n for values in by_form.values() for n in (*values, float(np.mean(values)))]


def _is_result(number: _Number, results: Sequence[float]) -> bool:
    """Returns whether a printed number is one of these, or that many percent."""
    return any(
        abs(result * scale - number.value) <= 0.51 * number.unit + 1e-6 * abs(number.value)
        for result in results
        for scale in (1.0, 100.0)
    )


def _noise(runs: Sequence[Trace]) -> dict[_Place, float]:
    """Returns by how much rounding moves what is printed, where two runs were made."""
    if len(runs) != 2:
        return {}
    first, second = (_numbers(run) for run in runs)
    return {
        place: abs(second[place].value - number.value)
        for place, number in first.items()
        if place in second
    }
