"""Comparing the results of session runs outside of training steps."""

from collections.abc import Sequence
from typing import Any

from tfmigrate_runtime.verify.rounding.tolerance import Finding, Tolerance
from tfmigrate_runtime.verify.rungs.compare import Outcome, not_recorded, worst_figures
from tfmigrate_runtime.verify.rungs.differences import greatest_difference
from tfmigrate_runtime.verify.traces.trace import Array, Trace
from tfmigrate_runtime.verify.wording import counted

Run = tuple[int, list[tuple[list[Any], Array]]]  # steps before it; of each value its form, numbers


def fetches(
    original: Trace, migrated: Trace, tolerance: Tolerance, is_chief: bool = True
) -> Outcome:
    """Compares the values that programs fetch; skipped where neither fetches any.

    Where initial values were copied, only names and shapes are compared before the first step: the
    copy comes after these runs. Workers other than the chief are left out there: they wait for the
    chief, and what they see depends on timing.
    """
    recorded = [trace.meta.get("fetches") for trace in (original, migrated)]
    if (lacking := not_recorded("results of session runs", *recorded)) is not None:
        return lacking
    old, new = (
        [run for run in runs_of(trace) if run[0] or is_chief] for trace in (original, migrated)
    )
    if not old and not new:
        return Outcome(True, "", skipped=True)
    first_known = is_chief and bool(
        not migrated.meta.get("transferred") and not _others_transferred(migrated)
    )
    for number, (first, second) in enumerate(zip(old, new, strict=False), start=1):
        if text := _other_form(first, second):
            lead = f"Session run {number} without training, after step {first[0]}"
            return Outcome(False, "different fetches", "", (f"{lead}: {text}",))
    findings, texts = _compared(old, new, tolerance, first_known)
    if texts:
        return Outcome(False, "different fetches", "", tuple(texts[:1]))
    if len(old) != len(new):
        more = old[len(new) :] or new[len(old) :]
        names = ", ".join(form[0] for form, _ in more[0][1])
        text = (
            f"The original makes {counted(len(old), 'session run')} without training, the migrated "
            f"program {len(new)}. The first without a counterpart is after step {more[0][0]} "
            f"({names})."
        )
        return Outcome(False, "different fetches", "", (text,))
    left_out = original.meta["fetches"]["left_out"] or migrated.meta["fetches"]["left_out"]
    notes = (
        f"Only the first {len(old)} session runs without training were compared; {left_out} more "
        "were not.",
    )
    shown, limit = worst_figures(findings)
    figure = counted(len(old), "run") + (f", {shown}" if shown else "")
    return Outcome(True, figure, limit, notes if left_out else ())


def _others_transferred(trace: Trace) -> bool:
    return any(model.meta.get("transferred") for model in trace.models)


def runs_of(trace: Trace) -> list[Run]:
    """Returns the session runs without training, [] of a trace that lacks them."""
    recorded = trace.meta.get("fetches") or {"runs": [], "forms": []}
    runs, position = [], 0
    for steps, index in recorded["runs"]:
        values = []
        for form in recorded["forms"][index]:
            values.append((form, trace.fetched[position : position + form[3]]))
            position += form[3]
        runs.append((steps, values))
    return runs


def _other_form(old: Run, new: Run) -> str:
    """Describes how two runs differ but in numbers, "" where they do not."""
    if old[0] != new[0]:
        return f"in the migrated program it is after step {new[0]}."
    if [form[1:3] for form, _ in old[1]] != [form[1:3] for form, _ in new[1]]:
        return f"it returns {_shown(old)} in the original, {_shown(new)} in the migrated program."
    return ""


def _compared(
    old: Sequence[Run], new: Sequence[Run], tolerance: Tolerance, first_known: bool
) -> tuple[list[Finding], list[str]]:
    """Compares each value in all runs that return it; describes those that differ, by run."""
    groups: dict[str, list[tuple[int, int]]] = {}
    for number, (run, _) in enumerate(zip(old, new, strict=False)):
        if run[0] or first_known:
            for position, (form, _) in enumerate(run[1]):
                key = f"{form} {position if len(run[1]) > 1 else ''}"
                groups.setdefault(key, []).append((number, position))
    others = [runs_of(run) for run in tolerance.runs if "fetches" in run.meta]
    results, texts = [], []
    for places in groups.values():
        number, position = places[0]
        form = old[number][1][position][0]
        sides = [[run[n][1][p][1] for n, p in places] for run in (old, new)]
        pair = [[run[n][1][p][1] for n, p in places if _has(run, n, p)] for run in others]
        exact = not form[1].startswith(("float", "bfloat", "complex"))
        finding = tolerance.results(sides[0], sides[1], pair, exact)
        results.append(finding)
        for row in finding.beyond[:1]:
            number = places[row][0]
            lead = f"Session run {number + 1} without training, after step {old[number][0]}"
            texts.append((number, f"{lead}: {_differing(form, sides[0][row], sides[1][row])}"))
    return results, [text for _, text in sorted(texts)]


def _has(runs: Sequence[Run], number: int, position: int) -> bool:
    return number < len(runs) and position < len(runs[number][1])


def _differing(form: list[Any], old: Array, new: Array) -> str:
    what = form[0] or "its result"
    if form[1] == "text":
        return f"the text of {what} differs."
    return f"{what} is {greatest_difference(old, new)}."


def _shown(run: Run) -> str:
    return ", ".join(f"{form[0]} ({form[1]} {form[2]})" for form, _ in run[1])
