"""A verdict as text for a terminal, and as JSON.

What differs comes first: the rung that fails, the numbers, the likely cause. The table follows.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tfmigrate_runtime.verify.causes import CAUSES, FirstDifference
from tfmigrate_runtime.verify.reports.report_schema import FORMAT
from tfmigrate_runtime.verify.reports.reservations import in_one_line, not_compared
from tfmigrate_runtime.verify.rungs.compare import DEPENDS_ON_CHANCE, Samples
from tfmigrate_runtime.verify.rungs.ladder import Rung, Verdict
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.trace import Array, Trace
from tfmigrate_runtime.verify.wording import counted

_STYLES = {"same": "bold green", "different": "bold red", "not decided": "bold yellow"}
_BARS = "▁▂▃▄▅▆▇█"
_PLOT_WIDTH = 40
_MOST_POINTS = 1000  # of a curve in JSON


def print_report(
    console: Console,
    verdict: Verdict,
    original: Recording,
    migrated: Recording,
    names: tuple[str, str],
) -> None:
    """Prints what differs, then the programs, the ladder as a table, the losses and further notes.

    Args:
        console: where to.
        verdict: the verdict.
        original: what was recorded of the original.
        migrated: what was recorded of the migrated program.
        names: the two programs as the user named them.
    """
    print_difference(console, verdict)
    sides = (("original", names[0], original), ("migrated", names[1], migrated))
    for label, name, recording in sides:
        place = recording.chief.devices
        if recording.is_cluster:
            place = f"{recording.cluster}{_order(recording)}"
        line = f"{label}  {name}  ({ran_on(recording.meta)}; {place})"
        console.print(Text(line), soft_wrap=True)
    console.print()
    lines = [
        "  ".join(part for part in (label, task, loss_line(trace)) if part)
        for label, _, recording in sides
        for task, trace in recording.tasks.items()
        if len(trace.loss)
    ]
    of = " of the chief" if original.is_cluster else ""
    randomness = randomness_as_json(verdict, original.chief, migrated.chief)
    print_rungs(console, verdict, [*lines, f"random numbers{of}: {in_words(randomness)}"])


def _order(recording: Recording) -> str:
    if len(recording.tasks) == 1:
        return ""
    if recording.synchronous:
        return "; workers are synchronous"
    return "; workers take turns" if recording.turns else "; workers run freely"


def ran_on(meta: Mapping[str, Any]) -> str:
    """Returns the framework that a program trains with, and its version."""
    return str(meta.get("framework") or f"TensorFlow {tensorflow_of(meta)}")


def tensorflow_of(meta: Mapping[str, Any]) -> str:
    """Returns the version that a program ran on, and whether the legacy runtime gave it."""
    version = str(meta.get("tensorflow", "?"))
    return f"{version}, legacy runtime" if meta.get("legacy") else version


def print_difference(console: Console, verdict: Verdict) -> None:
    """Prints the verdict, a line of its own, and below it what it is based on."""
    console.print(Text(headline(verdict), _STYLES[verdict.word]), soft_wrap=True)
    details = [] if verdict.word == "same" else explanation(verdict)
    for line in (basis(verdict), *details):
        if line:
            console.print(Text(f"  {line}"), soft_wrap=True)
    console.print()


def print_rungs(console: Console, verdict: Verdict, losses: Sequence[str]) -> None:
    """Prints the rungs as a table, then the losses, and notes on other rungs."""
    table = Table(box=None, pad_edge=False)
    table.add_column("rung", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("figure", justify="right")
    table.add_column("tolerance", justify="right", no_wrap=True)
    for rung in verdict.rungs:
        number, name, word, *figures = rung_cells(rung, {"different": "DIFFERENT"})
        style = {**_STYLES, "same": "green"}.get(rung.verdict, "dim")
        table.add_row(f"{number}  {name}", Text(word, style), *figures)
    console.print(table)
    console.print()
    for line in (*losses, *further_notes(verdict)):
        console.print(Text(line), soft_wrap=True)


def headline(verdict: Verdict) -> str:
    """Returns the verdict alone."""
    if verdict.undecided is not None:
        return (
            "Not decided: no difference was found, which does not show that the programs train the "
            "same."
        )
    if verdict.failed is not None:
        return "The programs do not train the same."
    end = verdict.ended_at
    ended = "" if end is None else f" up to step {end}, after which both have NaN or inf"
    return f"The programs train the same{ended}."


def basis(verdict: Verdict) -> str:
    """Returns which rung fails, or is not decided, or what was not compared; "" for nothing."""
    failed, open_rung = verdict.failed, verdict.undecided
    if failed is not None:
        return f"Rung {failed.number} fails: {failed.name}."
    if open_rung is not None:
        figure = open_rung.outcome.figure if open_rung.outcome else ""
        return f"Rung {open_rung.number}, {open_rung.name}: {figure}."
    return in_one_line(verdict)


def conclusion(verdict: Verdict) -> str:
    """Returns the verdict and what it is based on in one line."""
    return f"{headline(verdict)} {basis(verdict)}".rstrip()


def as_json(
    verdict: Verdict, original: Recording, migrated: Recording, names: tuple[str, str]
) -> dict[str, Any]:
    """Returns the verdict as a JSON object.

    Its keys are those of data/report.schema.json. Where the programs are clusters, ``randomness``
    is the chief's, and ``original`` and ``migrated`` list all tasks.
    """
    return {
        "format": FORMAT,
        "verdict": verdict.word,
        "cause": verdict.cause,
        "advice": CAUSES[verdict.cause].advice if verdict.cause else None,
        "first_difference": _first_as_json(verdict),
        "same": verdict.same,
        "decided": verdict.undecided is None,
        "conclusion": conclusion(verdict),
        "not_compared": not_compared(verdict),
        "warnings": list(verdict.warnings),
        "randomness": randomness_as_json(verdict, original.chief, migrated.chief),
        "rungs": [_rung_as_json(rung) for rung in verdict.rungs],
        "original": program_as_json(names[0], original),
        "migrated": program_as_json(names[1], migrated),
    }


def refusal_as_json(cause: str, message: str) -> dict[str, Any]:
    """Returns the JSON object of a comparison that could not be made.

    Args:
        cause: a code of ``CAUSES``.
        message: what is the matter.
    """
    return {
        "format": FORMAT,
        "verdict": "could not run",
        "cause": cause,
        "advice": CAUSES[cause].advice,
        "first_difference": None,
        "same": False,
        "decided": False,
        "conclusion": message,
        "warnings": [],
    }


def _first_as_json(verdict: Verdict) -> dict[str, Any] | None:
    if (failed := verdict.failed) is None or failed.outcome is None:
        return None
    first = failed.outcome.first or FirstDifference()
    numbers = {side: getattr(first, side) for side in ("original", "migrated")}
    return {
        "rung": failed.number,
        "step": first.step,
        "variable": first.variable,
        "index": list(first.index),
        **{side: None if n is None else _finite(n) for side, n in numbers.items()},
    }


def pinned_operations(meta: Mapping[str, Any]) -> int:
    """Returns how many ops of a program drew from pinned seeds."""
    return int(sum(meta.get("pinned_operations", {}).values()))


def randomness_as_json(verdict: Verdict, original: Trace, migrated: Trace) -> dict[str, Any]:
    """Returns how random numbers were handled.

    Its keys: ``pinned_operations`` (how many ops of each program drew from pinned seeds), ``equal``
    (how many variables started from the same values without a copy), ``transferred`` (names of
    those that the original's values were copied to) and ``free`` (bool: a program was not
    reproducible).
    """
    transferred = list(migrated.meta.get("transferred", ()))
    return {
        "pinned_operations": [pinned_operations(trace.meta) for trace in (original, migrated)],
        "equal": sum(
            name not in transferred
            and name in migrated.initial
            and migrated.initial[name].tobytes() == value.tobytes()
            for name, value in original.initial.items()
        ),
        "transferred": transferred,
        "free": any(r.outcome and r.outcome.figure == DEPENDS_ON_CHANCE for r in verdict.rungs),
    }


def in_words(randomness: Mapping[str, Any]) -> str:
    """Returns the object of ``randomness_as_json`` in one line."""
    old, new = randomness["pinned_operations"]
    copied = len(randomness["transferred"])
    parts = [
        f"pinned for {counted(old, 'operation')} of the original and {new} of the migrated program",
        f"{counted(randomness['equal'], 'initial value')} equal"
        + (f", {copied} copied" if copied else ""),
        "some not pinned: runs differ" if randomness["free"] else "none found unpinned",
    ]
    return "; ".join(parts)


def _rung_as_json(rung: Rung) -> dict[str, Any]:
    outcome = rung.outcome
    return {
        "number": rung.number,
        "name": rung.name,
        "verdict": rung.verdict,
        "figure": outcome.figure if outcome else None,
        "tolerance": outcome.tolerance if outcome else None,
        "details": list(outcome.details) if outcome else [],
        "samples": _samples_as_json(outcome.samples) if outcome and outcome.samples else None,
    }


def _samples_as_json(samples: Samples) -> dict[str, list[float | None]]:
    return {
        "original": [_finite(loss) for loss in samples.original],
        "migrated": [_finite(loss) for loss in samples.migrated],
    }


def _finite(loss: float) -> float | None:
    """Returns a loss as JSON can hold it."""
    return float(loss) if np.isfinite(loss) else None


def program_as_json(name: str, recording: Recording) -> dict[str, Any]:
    """Returns the part of ``as_json`` about one of the programs."""
    about = {key: recording.meta.get(key) for key in ("tensorflow", "python")}
    about = {"name": name, **about, "legacy": bool(recording.meta.get("legacy"))}
    if recording.meta.get("framework"):
        about["framework"] = recording.meta["framework"]
    if not recording.is_cluster:
        return {**about, "devices": recording.chief.devices, **_losses(recording.chief)}
    tasks = {task: {"steps": len(t.step), **_losses(t)} for task, t in recording.tasks.items()}
    return {
        **about,
        "cluster": recording.cluster.jobs,
        "turns": recording.turns,
        "synchronous": recording.synchronous,
        "mirrored": recording.mirrored,
        "placement": recording.placement,
        "tasks": tasks,
    }


def _losses(trace: Trace) -> dict[str, Any]:
    ends = [_finite(loss) for loss in trace.loss[[0, -1]]] if len(trace.loss) else [None, None]
    rows = np.unique(np.linspace(0, len(trace.loss) - 1, _MOST_POINTS).astype(int))
    rows = np.arange(len(trace.loss)) if len(trace.loss) <= _MOST_POINTS else rows
    curve = [[int(trace.step[row]), _finite(trace.loss[row])] for row in rows]
    return {"first_loss": ends[0], "last_loss": ends[1], "losses": curve}


def notes(verdict: Verdict) -> list[str]:
    """Returns the warnings, and the details of each rung."""
    return [*_warnings(verdict), *_lines(findings(verdict))]


def explanation(verdict: Verdict) -> list[str]:
    """Returns the details of the rung that fails or is not decided, and the warnings."""
    shown = verdict.failed or verdict.undecided
    details = shown.outcome.details if shown is not None and shown.outcome is not None else ()
    return [*details, *_warnings(verdict)]


def further_notes(verdict: Verdict) -> list[str]:
    """Returns the notes that ``explanation`` does not have."""
    shown = verdict.failed or verdict.undecided
    if shown is None:
        return notes(verdict)
    return _lines([finding for finding in findings(verdict) if shown not in finding[0]])


def _warnings(verdict: Verdict) -> list[str]:
    return [f"warning: {warning}" for warning in verdict.warnings]


def _lines(with_details: Sequence[tuple[list[Rung], tuple[str, ...]]]) -> list[str]:
    lines: list[str] = []
    for rungs, details in with_details:
        numbers = ", ".join(str(rung.number) for rung in rungs)
        lines += [f"rung{'s' if len(rungs) > 1 else ''} {numbers}: {line}" for line in details]
    return lines


def rung_cells(rung: Rung, marks: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the row of a rung in a table: its number, name, verdict, figure and tolerance."""
    figures = (rung.outcome.figure, rung.outcome.tolerance) if rung.outcome else ("", "")
    return (str(rung.number), rung.name, marks.get(rung.verdict, rung.verdict), *figures)


def findings(verdict: Verdict) -> list[tuple[list[Rung], tuple[str, ...]]]:
    """Returns the details of rungs; those that several have in common are listed once."""
    by_details: dict[tuple[str, ...], list[Rung]] = {}
    for rung in verdict.rungs:
        if rung.outcome is not None and rung.outcome.details:
            by_details.setdefault(rung.outcome.details, []).append(rung)
    return [(rungs, details) for details, rungs in by_details.items()]


def loss_line(trace: Trace) -> str:
    """Returns the course of the loss as a line of bars, between its first and last value."""
    course = sparkline(trace.loss, _PLOT_WIDTH)
    return f"loss {trace.loss[0]:.6f} {course} {trace.loss[-1]:.6f}"


def sparkline(values: Array, width: int) -> str:
    """Returns values as a line of bars, each the mean of an equal share of them."""
    finite = np.where(np.isfinite(values), values, np.nan)
    if not len(finite) or np.isnan(finite).all():
        return ""
    groups = np.array_split(finite, min(width, len(finite)))
    means = np.array([np.nan if np.isnan(group).all() else np.nanmean(group) for group in groups])
    low, high = np.nanmin(means), np.nanmax(means)
    scale = (len(_BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(" " if np.isnan(m) else _BARS[round((m - low) * scale)] for m in means)
