"""Comparing the values that training steps return to the program."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare import Outcome, not_recorded, worst_figures
from tfmigrate_runtime.verify.rungs.differences import greatest_difference
from tfmigrate_runtime.verify.rungs.finite_steps import with_numbers
from tfmigrate_runtime.verify.traces.trace import Array, Trace
from tfmigrate_runtime.verify.wording import counted

_WHAT = "values that training steps return"
_Rows = dict[int, tuple[int, int]]  # form and row, by the number of steps before


@dataclass(frozen=True)
class _Value:
    """One value that steps of both programs return.

    Attributes:
        name: of the op that gives it in the original.
        steps: how many steps were made before each.
        old: its numbers in the original [steps, numbers]; None where it is read in no order.
        new: its numbers in the migrated program, also where a variable is read in no order: it is
            another number than the original's then, which has an order.
        noise: its numbers in two runs that differ by rounding, () where there are none.
    """

    name: str
    steps: Sequence[int]
    old: Array | None
    new: Array | None
    noise: tuple[Array, ...] = ()


def step_fetches(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Compares what training steps return; skipped where no step of both returns anything.

    A program may print some value at other steps than the original: only steps at which both
    return something are compared.
    """
    pair = original, migrated
    if not any(_forms(trace) for trace in pair):
        return Outcome(True, "", skipped=True)
    recorded, absent = [trace.meta.get("step_fetches") for trace in pair], f"{_WHAT} (not recorded)"
    if (lacking := not_recorded(_WHAT, *recorded, not_compared=(absent,))) is not None:
        return lacking
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
    rows = [(step, old[step], new[step]) for step in common]
    values = list(_values(original, migrated, rows, tolerance.runs))
    missing = _not_compared(original, values, len(old.keys() ^ new.keys()))
    return replace(_compared(values, tolerance), not_compared=missing)


def _compared(values: Sequence[_Value], tolerance: Tolerance) -> Outcome:
    texts: list[tuple[int, str]] = []
    results = []
    for value in values:
        if value.old is None or value.new is None:
            continue
        exact = value.old.dtype.kind not in "f"
        noise = [list(run) for run in value.noise]
        finding = tolerance.results(list(value.old), list(value.new), noise, exact)
        results.append(finding)
        if not len(finding.beyond):
            continue
        row = int(finding.beyond[0])
        worst = greatest_difference(value.old[row], value.new[row])
        text = (
            f"Training step {value.steps[row] + 1} returns {value.name} as {worst}. It differs at "
            f"{len(finding.beyond)} of {counted(len(value.steps), 'step')}."
        )
        texts.append((value.steps[row], text))
    figure, limit = worst_figures(results)
    if texts:
        details = tuple(text for _, text in sorted(texts, key=lambda each: each[0]))
        return Outcome(False, "different values of steps", limit, details)
    figure = f"{counted(len(results), 'value')} of steps, {figure}" if results else ""
    return Outcome(True, figure, limit, skipped=not results)


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
    original: Trace,
    migrated: Trace,
    rows: Sequence[tuple[int, tuple[int, int], tuple[int, int]]],
    runs: Sequence[Trace],
) -> Iterator[_Value]:
    """Yields all values that both programs return, by the form in which they do."""
    groups: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for step, (form, row), (other, other_row) in rows:
        groups.setdefault((form, other), []).append((step, row, other_row))
    unordered = original.meta["step_fetches"].get("unordered", ())
    for (form, other), places in groups.items():
        steps, first, second = (list(each) for each in zip(*places, strict=True))
        for position, (name, *_) in enumerate(_forms(original)[form]):
            old = None
            if f"{form}/{position}" not in unordered:
                old = original.step_fetched.get(f"{form}/{position}")
            new = migrated.step_fetched.get(f"{other}/{position}")
            yield _Value(
                name,
                steps,
                None if old is None else old[first],
                None if new is None else new[second],
                _noise_of(runs, _forms(original)[form], position, steps),
            )


def _noise_of(
    runs: Sequence[Trace], form: Any, position: int, steps: Sequence[int]
) -> tuple[Array, ...]:
    """Returns a value at these steps in two runs that differ by rounding."""
    arrays = []
    for run in runs:
        forms = [[each[1:] for each in other] for other in _forms(run)]
        wanted = [each[1:] for each in form]
        number = forms.index(wanted) if wanted in forms else -1
        numbers = run.step_fetched.get(f"{number}/{position}")
        rows = (
            {s: i for i, s in enumerate(run.meta["step_fetches"]["steps"][number])}
            if number >= 0
            else {}
        )
        if numbers is not None and all(step in rows for step in steps):
            arrays.append(numbers[[rows[step] for step in steps]])
    return tuple(arrays) if len(arrays) == 2 else ()


def _shown(form: Sequence[Any]) -> str:
    return ", ".join(f"{name} ({kind} {shape})" for name, kind, shape in form)
