"""Comparing the values that training steps return to the program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tfmigrate_runtime.verify.compare import Outcome
from tfmigrate_runtime.verify.differences import close, greatest_difference
from tfmigrate_runtime.verify.finite_steps import with_numbers
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Array, Trace
from tfmigrate_runtime.verify.wording import counted, not_in_trace

_WHAT = "values that training steps return"
_LEAST = 1e-7  # less may be rounding of sums whose terms are about one
_Rows = dict[int, tuple[int, int]]  # form and row, by the number of steps before


@dataclass(frozen=True)
class _Value:
    """One value that steps of both programs return.

    Attributes:
        name: of the op that gives it in the original.
        steps: how many steps were made before each.
        old: its numbers in the original [steps, numbers]; None where it is read in no order.
        new: its numbers in the migrated program.
    """

    name: str
    steps: Sequence[int]
    old: Array | None
    new: Array | None


def step_fetches(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Compares what training steps return; skipped where no step of both returns anything.

    A program may print some value at other steps than the original: only steps at which both
    return something are compared.
    """
    pair = original, migrated
    if not any(_forms(trace) for trace in pair):
        return Outcome(True, "", skipped=True)
    for which, trace in zip(("original", "migrated program"), pair, strict=True):
        if "step_fetches" not in trace.meta:
            reason = not_in_trace(which, _WHAT)
            absent = (f"{_WHAT} (not recorded)",)
            return Outcome(True, "", "", (reason,), skipped=True, not_compared=absent)
    old, new = (_rows(trace, with_numbers(original, migrated)[2]) for trace in pair)
    common = sorted(old.keys() & new.keys())
    for step in common:
        first, second = _forms(original)[old[step][0]], _forms(migrated)[new[step][0]]
        if [form[1:] for form in first] != [form[1:] for form in second]:
            text = (
                f"Training step {step + 1} returns {_shown(first)} in the original, "
                f"{_shown(second)} in the migrated program."
            )
            return Outcome(False, "different values of steps", "", (text,))
    values = list(_values(original, migrated, [(step, old[step], new[step]) for step in common]))
    missing = _not_compared(original, values, len(old.keys() ^ new.keys()))
    return replace(_compared(values, tolerance), not_compared=missing)


def _compared(values: Sequence[_Value], tolerance: Tolerance) -> Outcome:
    found: list[tuple[int, str]] = []
    greatest, count = 0.0, 0
    for value in values:
        if value.old is None or value.new is None:
            continue
        count += 1
        limits = _limits(value.old, tolerance)
        beyond = np.flatnonzero(~close(value.old, value.new, limits).all(axis=1))
        scale = np.maximum(1.0, _magnitudes(value.old))
        greatest = max(greatest, greatest_difference(value.old / scale, value.new / scale).size)
        if not len(beyond):
            continue
        row = int(beyond[0])
        worst = greatest_difference(value.old[row], value.new[row])
        text = (
            f"Training step {value.steps[row] + 1} returns {value.name} as {worst.original:.9g} in "
            f"the original, {worst.migrated:.9g} in the migrated program. It differs at "
            f"{len(beyond)} of {counted(len(value.steps), 'step')}."
        )
        found.append((value.steps[row], text))
    limit = f"{tolerance.metric:.0e}"
    if found:
        details = tuple(text for _, text in sorted(found, key=lambda each: each[0]))
        return Outcome(False, "different values of steps", limit, details)
    figure = f"{counted(count, 'value')} of steps, {greatest:.1e}" if count else ""
    return Outcome(True, figure, limit, skipped=not count)


def _limits(values: Array, tolerance: Tolerance) -> Array:
    """Returns how far each value may be from the original's; counts must be equal."""
    if values.dtype.kind != "f":
        return np.zeros((len(values), 1))
    sizes = _magnitudes(values)
    limits = replace(tolerance, loss=tolerance.metric).limits_of_losses(sizes)
    return np.maximum(limits, _LEAST if tolerance.metric else 0.0)


def _magnitudes(values: Array) -> Array:
    """Returns the largest finite number of each row, in a column."""
    sizes = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=1, initial=0.0)
    column: Array = sizes[:, np.newaxis].astype(np.float64)
    return column


def _not_compared(original: Trace, values: Sequence[_Value], left_out: int) -> tuple[str, ...]:
    lines = []
    if left_out:
        count = counted(left_out, "training step")
        lines.append(f"what {count} returned (only one program fetches a value there)")
    losses = ", ".join(str(s.get("loss", "")) for s in original.meta.get("sessions", ()))
    elsewhere = [loss.split(":")[0] for loss in losses.split(", ")]
    names = {value.name for value in values if value.old is None or value.new is None}
    # Rungs 1 and 4 compare steps and losses.
    left = [n for n in sorted(names) if n not in elsewhere and "global_step" not in n.split("/")]
    if left:
        lines.append(f"{', '.join(left)} of training steps (read while it is written)")
    return tuple(lines)


def _forms(trace: Trace) -> list[Any]:
    forms: list[Any] = trace.meta.get("step_fetches", {}).get("forms", [])
    return forms


def _rows(trace: Trace, end: int | None) -> _Rows:
    """Returns where the values of each step are, up to the last one with finite numbers."""
    return {
        step: (form, row)
        for form, steps in enumerate(trace.meta["step_fetches"]["steps"])
        for row, step in enumerate(steps)
        if end is None or step < end
    }


def _values(
    original: Trace, migrated: Trace, rows: Sequence[tuple[int, tuple[int, int], tuple[int, int]]]
) -> Iterator[_Value]:
    """Yields all values that both programs return, by the form in which they do."""
    groups: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for step, (form, row), (other, other_row) in rows:
        groups.setdefault((form, other), []).append((step, row, other_row))
    for (form, other), found in groups.items():
        steps, first, second = (list(each) for each in zip(*found, strict=True))
        for position, (name, *_) in enumerate(_forms(original)[form]):
            old = original.step_fetched.get(f"{form}/{position}")
            new = migrated.step_fetched.get(f"{other}/{position}")
            yield _Value(
                name,
                steps,
                None if old is None else old[first],
                None if new is None else new[second],
            )


def _shown(form: Sequence[Any]) -> str:
    return ", ".join(f"{name} ({kind} {shape})" for name, kind, shape in form)
