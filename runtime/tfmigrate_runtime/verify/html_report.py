"""A verdict as a page: both loss curves, the error over the steps, every variable, the environment.

The page is one file without scripts; it is read without a network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from string import Template

import numpy as np

from tfmigrate_runtime.verify.charts import Curve, bar_chart, line_chart
from tfmigrate_runtime.verify.differences import greatest_difference
from tfmigrate_runtime.verify.ladder import Verdict
from tfmigrate_runtime.verify.report import conclusion, notes, pinned_operations, tensorflow_of
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Array, Trace

_MOST_BARS = 40
_MARKS = {"same": "✓ same", "different": "✗ DIFFERENT"}


@dataclass(frozen=True)
class Compared:
    """What two programs, or one task of two clusters, were compared by.

    Attributes:
        name: of the task, "" for a program of one process.
        original: its trace.
        migrated: its trace.
    """

    name: str
    original: Trace
    migrated: Trace


def html_report(
    verdict: Verdict,
    compared: Sequence[Compared],
    tolerance: Tolerance,
    names: tuple[str, str],
    cluster: str = "",
) -> str:
    """Returns the page.

    Args:
        verdict: the verdict.
        compared: the traces of the programs, task by task.
        tolerance: how close they had to be.
        names: the two programs as the user named them.
        cluster: the jobs of a cluster, in words.
    """
    template = resources.files("tfmigrate_runtime.verify").joinpath("data/report.html")
    return Template(template.read_text("utf-8")).substitute(
        title=escape(f"{names[1]}: {conclusion(verdict)}"),
        verdict="same" if verdict.same else "different",
        conclusion=escape(conclusion(verdict)),
        programs=_programs(compared, names, cluster),
        rungs=_rungs(verdict),
        notes=_notes(verdict),
        curves="".join(_figures(item, tolerance) for item in compared),
        variables=_variables(compared, tolerance),
        environment=_environment(compared, names),
    )


def _programs(compared: Sequence[Compared], names: tuple[str, str], cluster: str) -> str:
    lines = []
    for label, name, trace in (
        ("original", names[0], compared[0].original),
        ("migrated", names[1], compared[0].migrated),
    ):
        where = cluster or trace.devices
        lines.append(
            f'<p><span class="key {label}"></span><b>{label}</b> <code>{escape(name)}</code> '
            f"TensorFlow {escape(tensorflow_of(trace.meta))}; {escape(where)}</p>"
        )
    return "".join(lines)


def _rungs(verdict: Verdict) -> str:
    rows = []
    for rung in verdict.rungs:
        outcome = rung.outcome
        cells = (
            str(rung.number),
            rung.name,
            _MARKS.get(rung.verdict, rung.verdict),
            outcome.figure if outcome else "",
            outcome.tolerance if outcome else "",
        )
        style = rung.verdict.replace(" ", "-")
        rows.append(f'<tr class="{style}">{"".join(f"<td>{escape(c)}</td>" for c in cells)}</tr>')
    return "".join(rows)


def _notes(verdict: Verdict) -> str:
    return "".join(f"<li>{escape(n)}</li>" for n in notes(verdict)) or "<li>Nothing to add.</li>"


def _figures(item: Compared, tolerance: Tolerance) -> str:
    """Returns the loss curves, and the error of the loss over the steps."""
    title = f" of {item.name}" if item.name else ""
    if not len(item.original.loss) or not len(item.migrated.loss):
        return f"<p>No steps{escape(title)}.</p>"
    curves = [
        Curve("original", "original", item.original.step, item.original.loss),
        Curve("migrated", "migrated", item.migrated.step, item.migrated.loss),
    ]
    steps, error = _loss_error(item.original, item.migrated)
    limit = tolerance.limit_of_loss(item.original.loss)
    errors = [Curve("difference", "error", steps, error)]
    return (
        f"<h2>Loss{escape(title)}</h2>{line_chart(curves, f'Loss{title} of both programs')}"
        f"<h3>Difference of the losses{escape(title)}</h3>"
        + line_chart(errors, f"Difference of the losses{title}", logarithmic=True, limit=limit)
    )


def _loss_error(original: Trace, migrated: Trace) -> tuple[Array, Array]:
    """Returns the steps that both made, in order, and the difference of their losses there."""
    count = min(len(original.loss), len(migrated.loss))
    with np.errstate(invalid="ignore"):
        error = np.abs(original.loss[:count] - migrated.loss[:count])
    return original.step[:count], error


def _variables(compared: Sequence[Compared], tolerance: Tolerance) -> str:
    """Returns bars and a table of all variables, the worst first."""
    found = [row for item in compared for row in _errors_of_variables(item, tolerance)]
    if not found:
        return "<p>No variable was recorded in both.</p>"
    found.sort(key=lambda row: row.share, reverse=True)
    bars = [(row.name, row.error, row.limit) for row in found[:_MOST_BARS]]
    rest = len(found) - len(bars)
    more = f"<p>The {len(bars)} worst of {len(found)}; the table has all.</p>" if rest else ""
    rows = "".join(
        f"<tr><td><code>{escape(row.name)}</code></td><td>{escape(row.kind)}</td>"
        f"<td>{row.error:.2e}</td><td>{row.limit:.1e}</td><td>{row.place}</td></tr>"
        for row in found
    )
    return (
        f"{more}{bar_chart(bars, 'Greatest difference of every variable')}"
        "<details><summary>All variables and optimizer slots</summary><table><thead><tr>"
        "<th>variable</th><th>kind</th><th>greatest difference</th><th>tolerance</th>"
        f"<th>where</th></tr></thead><tbody>{rows}</tbody></table></details>"
    )


@dataclass(frozen=True)
class _Row:
    name: str
    kind: str
    error: float
    limit: float
    place: str

    @property
    def share(self) -> float:
        return self.error / self.limit if self.limit else self.error * np.inf if self.error else 0.0


def _errors_of_variables(item: Compared, tolerance: Tolerance) -> list[_Row]:
    rows = []
    for name, values in item.original.variables.items():
        new = item.migrated.variables.get(name)
        if new is None or new.shape != values.shape or not values.size:
            continue
        worst = greatest_difference(values, new)
        step = int(item.original.variable_step[worst.index[0]])
        index = f"[{', '.join(map(str, worst.index[1:]))}]" if worst.index[1:] else ""
        start = item.original.initial.get(name, values[0])
        shown = f"{item.name}: {name}" if item.name else name
        rows.append(
            _Row(
                shown,
                f"{values.dtype} {list(values.shape[1:])}",
                worst.size,
                tolerance.limit_of_variable(name, start, values),
                f"step {step}{index}",
            )
        )
    return rows


def _environment(compared: Sequence[Compared], names: tuple[str, str]) -> str:
    sides = (compared[0].original.meta, compared[0].migrated.meta)
    rows: list[tuple[str, str, str]] = [("program", *names)]
    for key, title in (
        ("tensorflow", "TensorFlow"),
        ("python", "Python"),
        ("numpy", "numpy"),
        ("args", "arguments"),
        ("sources", "SHA-256 of its files"),
    ):
        rows.append((title, _shown(key, sides[0]), _shown(key, sides[1])))
    pinned = [str(pinned_operations(meta)) for meta in sides]
    rows.append(("operations with pinned seeds", pinned[0], pinned[1]))
    body = "".join(
        f"<tr><th>{escape(title)}</th><td>{escape(old)}</td><td>{escape(new)}</td></tr>"
        for title, old, new in rows
    )
    return (
        f"<thead><tr><td></td><th>original</th><th>migrated</th></tr></thead><tbody>{body}</tbody>"
    )


def _shown(key: str, meta: Mapping[str, object]) -> str:
    value = meta.get(key, "")
    if key == "tensorflow":
        return tensorflow_of(meta)
    if isinstance(value, dict):
        return ", ".join(f"{name} {str(digest)[:12]}" for name, digest in value.items())
    if isinstance(value, list):
        return " ".join(map(str, value))
    return str(value)
