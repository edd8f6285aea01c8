"""The figures of a report's page: losses, their difference, variables, final losses of runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from tfmigrate_runtime.verify.reports.charts import Curve, Mark, bar_chart, line_chart, strip_chart
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare import Samples
from tfmigrate_runtime.verify.rungs.compare_updates import of_variables
from tfmigrate_runtime.verify.traces.trace import Array, Trace, at_common_steps

_MOST_BARS = 40
_BARS = "Largest difference of each variable's update, as a share of it"


@dataclass(frozen=True)
class Compared:
    """The traces of two programs, or of one task of two clusters.

    Attributes:
        name: of the task, "" for a program of one process.
        original: its trace.
        migrated: its trace.
    """

    name: str
    original: Trace
    migrated: Trace


def loss_figures(item: Compared, tolerance: Tolerance, is_free: bool) -> str:
    """Returns the loss curves, and their difference over the steps.

    Args:
        item: the traces.
        tolerance: how close they had to be.
        is_free: whether the losses depend on chance, so that they need not be close.
    """
    title = f" of {item.name}" if item.name else ""
    if not len(item.original.loss) or not len(item.migrated.loss):
        return f"<p>No steps{escape(title)}.</p>"
    curves = [
        Curve("original", "original", item.original.step, item.original.loss),
        Curve("migrated", "migrated", item.migrated.step, item.migrated.loss),
    ]
    steps, error = _loss_error(item.original, item.migrated, tolerance)
    limit = None if is_free else 1.0
    mark = _first_beyond(steps, error, limit)
    head = f"<h2>Loss{escape(title)}</h2>"
    head += _figure(line_chart(curves, f"Loss{title} of both programs", mark=mark))
    head += f"<h3>Difference of the losses{escape(title)}, relative to what is allowed</h3>"
    if not error.any():
        return f"{head}<p>None: the losses are equal as float32 at all {len(error)} steps.</p>"
    shown = [Curve("difference", "error", steps, error)]
    return head + _figure(line_chart(shown, f"Difference of the losses{title}", True, limit, mark))


def runs_figure(samples: Samples) -> str:
    """Returns a chart of the final losses of several runs of both programs."""
    rows = [("original", "original", samples.original), ("migrated", "migrated", samples.migrated)]
    chart = strip_chart(rows, "Final losses of all runs")
    return f"<h2>Final losses of all runs</h2>{_figure(chart)}"


def variable_figures(compared: Sequence[Compared], tolerance: Tolerance, is_free: bool) -> str:
    """Returns the error over the steps, and bars and a table of all variables, the worst first."""
    items = [
        Compared(item.name, *at_common_steps(item.original, item.migrated)) for item in compared
    ]
    table_rows = [row for item in items for row in _errors_of_variables(item, tolerance)]
    if not table_rows:
        return "<p>No variable was recorded in both programs.</p>"
    table_rows.sort(key=lambda row: row.share, reverse=True)
    bars = [(row.name, row.error, row.limit) for row in table_rows[:_MOST_BARS]]
    hidden_count = len(table_rows) - len(bars)
    more = (
        f"<p>The {len(bars)} worst of {len(table_rows)}; the table below has all.</p>"
        if hidden_count
        else ""
    )
    chance = (
        "<p>Differences depend on chance here; the tolerance does not apply.</p>" if is_free else ""
    )
    rows = "".join(
        f"<tr><td><code>{escape(row.name)}</code></td><td>{escape(row.kind)}</td>"
        f"<td>{row.error:.2e}</td><td>{row.limit:.1e}</td><td>{row.place}</td></tr>"
        for row in table_rows
    )
    return (
        f"{chance}{_errors_over_steps(items, tolerance, is_free)}"
        f"<h3>{_BARS}</h3>{more}"
        + _figure(bar_chart(bars, _BARS, not is_free))
        + f"<details><summary>All {len(table_rows)} variables and optimizer slots</summary>"
        '<div class="wide"><table><thead><tr>'
        "<th>variable</th><th>kind</th><th>apart</th><th>allowed</th>"
        f"<th>where</th></tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def _figure(chart: str) -> str:
    """Returns a chart that can be scrolled where the window is narrower than its text needs."""
    return f'<div class="wide">{chart}</div>'


def _loss_error(original: Trace, migrated: Trace, tolerance: Tolerance) -> tuple[Array, Array]:
    """Returns the steps that both made, and how much of what is allowed losses differ there."""
    old, new, steps = original.loss, migrated.loss, original.step
    if not np.array_equal(original.step, migrated.step):
        steps, rows, other_rows = np.intersect1d(original.step, migrated.step, return_indices=True)
        old, new = old[rows], new[other_rows]
    return steps, tolerance.losses(old, new).quotients


def _first_beyond(steps: Array, error: Array, limit: float | None) -> Mark | None:
    """Returns the first step where a difference is larger than allowed."""
    if limit is None:
        return None
    beyond = np.flatnonzero(~(error <= limit))
    if not len(beyond):
        return None
    step = int(steps[beyond[0]])
    return Mark(step, f"differs from step {step}")


@dataclass(frozen=True)
class _Row:
    name: str
    kind: str
    error: float
    limit: float
    place: str

    @property
    def share(self) -> float:
        return _share(self.error, self.limit)


def _share(error: float, limit: float) -> float:
    """Returns an error as a share of what is allowed."""
    if limit:
        return error / limit
    return float("inf") if error else 0.0


def _errors_of_variables(item: Compared, tolerance: Tolerance) -> list[_Row]:
    rows = []
    for name, finding in of_variables(item.original, item.migrated, tolerance)[0].items():
        if not len(finding.apart):
            continue
        shown = f"{item.name}: {name}" if item.name else name
        kind = "trainable" if name in item.original.trainable else "slot or statistic"
        step = int(item.original.variable_step[int(np.argmax(finding.quotients))])
        apart, limit = finding.relative
        rows.append(_Row(shown, kind, apart, limit, f"step {step}" if apart else ""))
    return rows


def _errors_over_steps(items: Sequence[Compared], tolerance: Tolerance, is_free: bool) -> str:
    """Returns a chart of the largest share of its tolerance that any variable differs by."""
    steps = np.unique(np.concatenate([item.original.variable_step for item in items]))
    worst = np.zeros(len(steps))
    for item in items:
        rows = np.searchsorted(steps, item.original.variable_step)
        for finding in of_variables(item.original, item.migrated, tolerance)[0].values():
            np.maximum.at(worst, rows, finding.quotients)
    finite = worst[np.isfinite(worst)].max(initial=1.0)
    worst = np.where(np.isfinite(worst), worst, 10 * finite)  # of what may not differ at all
    if not worst.any():
        return f"<p>All are equal in their type after each of {len(steps)} compared steps.</p>"
    limit = None if is_free else 1.0
    title = "Largest difference of any variable, relative to its tolerance"
    chart = line_chart(
        [Curve("worst variable", "error", steps, worst)],
        title,
        True,
        limit,
        _first_beyond(steps, worst, limit),
    )
    return f"<h3>{title}</h3>{_figure(chart)}"
