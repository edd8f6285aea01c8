"""Charts of a report, as SVG without scripts or external files."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from tfmigrate_runtime.verify.traces.trace import Array

WIDTH, HEIGHT = 860, 292
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 16, 34, 38
_MOST_POINTS = 600  # of a curve; more are drawn as the extremes of groups
_MOST_MARKS = 120  # with a tooltip each
_ROW = 20
_LETTER = 6.2  # pixels, about, of a legend's text


@dataclass(frozen=True)
class Curve:
    """One line of a chart.

    Attributes:
        name: for the legend.
        style: the CSS class of the line: "original", "migrated" or "error".
        x: int64 [T].
        y: float64 [T]; what is not finite leaves a gap.
    """

    name: str
    style: str
    x: Array
    y: Array


@dataclass(frozen=True)
class Mark:
    """A step that a chart points out.

    Attributes:
        step: the global step.
        text: its label.
    """

    step: int
    text: str


def line_chart(
    curves: Sequence[Curve],
    title: str,
    logarithmic: bool = False,
    limit: float | None = None,
    mark: Mark | None = None,
) -> str:
    """Returns a chart of curves over the global step, with a legend.

    Args:
        curves: the lines.
        title: what it shows, for readers who do not see it.
        logarithmic: whether the y axis is; values of 0 lie at its foot, which is named "0".
        limit: a horizontal line: the tolerance, 1 where the curves are shares of it.
        mark: a step to point out.
    """
    low, high = _bounds(curves, logarithmic, limit)
    steps = [int(step) for curve in curves for step in (curve.x[[0, -1]] if len(curve.x) else ())]
    first, last = min(steps, default=0), max(steps, default=1)

    def across(step: float) -> float:
        share = (step - first) / (last - first) if last > first else 0.5
        return _LEFT + share * (WIDTH - _LEFT - _RIGHT)

    def up(value: float) -> float:
        place = math.log10(max(value, 10.0**low)) if logarithmic else value
        share = (place - low) / (high - low)
        return HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM)

    parts = [_grid(low, high, logarithmic, up), _steps_axis(first, last, across)]
    if limit is not None:
        y = up(limit)
        parts.append(
            f'<line class="limit" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="limit" x="{WIDTH - _RIGHT}" y="{y - 4:.1f}">tolerance'
            f"{'' if limit == 1 else f' {limit:.0e}'}</text>"
        )
    if mark is not None:
        parts.append(_mark(mark, across(mark.step)))
    for curve in curves:
        x, y_values = _thinned(curve.x, curve.y)
        parts.append(_path(x, y_values, curve.style, across, up))
        if len(x) <= _MOST_MARKS:
            parts += [
                f'<circle class="{curve.style}" cx="{across(s):.1f}" cy="{up(v):.1f}" r="3">'
                f"<title>{escape(curve.name)}, step {int(s)}: {v:.9g}</title></circle>"
                for s, v in zip(x.tolist(), y_values.tolist(), strict=True)
                if math.isfinite(v)
            ]
    parts.append(_legend(curves))
    return _svg(title, HEIGHT, parts)


def strip_chart(rows: Sequence[tuple[str, str, Sequence[float]]], title: str) -> str:
    """Returns a row of dots for each of several samples, on one axis.

    Args:
        rows: name, CSS class ("original" or "migrated") and values of each sample; values that are
            not finite are left out and counted in the name.
        title: what it shows, for readers who do not see it.
    """
    finite = [[v for v in values if math.isfinite(v)] for _, _, values in rows]
    together = np.array([v for values in finite for v in values], np.float64)
    low, high = _bounds([Curve("", "", np.arange(len(together)), together)], False, None)
    left, row = 110, 34

    def across(value: float) -> float:
        return left + (value - low) / (high - low) * (WIDTH - _RIGHT - left)

    parts = []
    foot = row * len(rows) + 6
    for value in _round_numbers(low, high, 6):
        x = across(value)
        parts.append(
            f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="6" y2="{foot}"/>'
            f'<text class="tick middle" x="{x:.1f}" y="{foot + 16}">{value:.4g}</text>'
        )
    for number, ((name, style, values), shown) in enumerate(zip(rows, finite, strict=True)):
        y = row * number + 6 + row / 2
        lost = len(values) - len(shown)
        label = f"{name} ({lost} not finite)" if lost else name
        parts.append(f'<text class="name" x="{left - 14}" y="{y + 4}">{escape(label)}</text>')
        parts += [
            f'<circle class="{style} dot" cx="{across(v):.1f}" cy="{y}" r="6">'
            f"<title>{escape(name)}: {v:.9g}</title></circle>"
            for v in shown
        ]
    return _svg(title, foot + 24, parts)


def bar_chart(rows: Sequence[tuple[str, float, float]], title: str, is_judged: bool = True) -> str:
    """Returns bars of errors as a share of what is allowed, on a logarithmic axis.

    Args:
        rows: name, error and tolerance of each bar.
        title: what it shows, for readers who do not see it.
        is_judged: whether the verdict depends on them; colours are neutral where it does not.
    """
    left, width = 330, WIDTH - 330 - 110
    low, high = -8.0, 4.0

    def across(share: float) -> float:
        place = math.log10(share) if share > 0 else low
        return width * (min(max(place, low), high) - low) / (high - low)

    parts = []
    allowed = left + across(1.0)
    height = _ROW * len(rows) + 24
    for number, (name, error, tolerance) in enumerate(rows):
        y = number * _ROW + 4
        share = error / tolerance if tolerance else (0.0 if error == 0 else math.inf)
        style = ("within" if error <= tolerance else "beyond") if is_judged else "unjudged"
        long = max(across(share if math.isfinite(share) else 10.0**high), 1.0)
        parts.append(
            f'<text class="name" x="{left - 8}" y="{y + 12}">{escape(_shortened(name))}'
            f"<title>{escape(name)}</title></text>"
            f'<rect class="{style}" x="{left}" y="{y}" width="{long:.1f}" height="{_ROW - 6}">'
            f"<title>{escape(name)}: {error:.3g} (tolerance {tolerance:.1e})</title></rect>"
            f'<text class="value" x="{left + long + 6:.1f}" y="{y + 12}">{error:.1e}</text>'
        )
    foot = height - 18
    if is_judged:
        parts.append(
            f'<line class="limit" x1="{allowed:.1f}" x2="{allowed:.1f}" y1="0" y2="{foot}"/>'
            f'<text class="limit middle" x="{allowed:.1f}" y="{foot + 14}">tolerance</text>'
        )
    return _svg(title, height, parts)


def _svg(title: str, height: int, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _legend(curves: Sequence[Curve]) -> str:
    """Returns the names of the curves, in the upper right corner."""
    parts, right = [], float(WIDTH - _RIGHT)
    for curve in reversed(curves):
        right -= _LETTER * len(curve.name)
        parts.append(
            f'<text class="legend" x="{right:.1f}" y="10">{escape(curve.name)}</text>'
            f'<line class="key {curve.style}" x1="{right - 30:.1f}" x2="{right - 6:.1f}" '
            'y1="6" y2="6"/>'
        )
        right -= 46
    return "".join(parts)


def _mark(mark: Mark, x: float) -> str:
    side = "left" if x < WIDTH / 2 else "right"  # of the line, below the legend
    return (
        f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 16}" y2="{HEIGHT - _BOTTOM}"/>'
        f'<text class="mark {side}" x="{x + (5 if side == "left" else -5):.1f}" y="{_TOP - 8}">'
        f"{escape(mark.text)}</text>"
    )


def _bounds(curves: Sequence[Curve], logarithmic: bool, limit: float | None) -> tuple[float, float]:
    """Returns the ends of the y axis: values, or exponents of ten."""
    values = np.concatenate([curve.y[np.isfinite(curve.y)] for curve in curves] or [np.zeros(1)])
    if logarithmic:
        values = values[values > 0]
        if limit:
            values = np.append(values, limit)
        if not len(values):
            return -12.0, 0.0
        low = math.floor(math.log10(values.min())) - 1.0  # the foot is for 0
        return low, max(math.ceil(math.log10(values.max())), low + 2.0)
    if not len(values):
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * (high - low) or max(abs(high) * 0.05, 1e-12)
    return low - margin, high + margin


def _grid(low: float, high: float, logarithmic: bool, up: Callable[[float], float]) -> str:
    if logarithmic:
        every = max(1, round((high - low) / 6))
        exponents = range(int(low), int(high) + 1, every)
        ticks = [(10.0**e, "0" if e == int(low) else f"1e{e}") for e in exponents]
    else:
        ticks = [(value, f"{value:.4g}") for value in _round_numbers(low, high, 5)]
    lines = []
    for value, label in ticks:
        y = up(value)
        lines.append(
            f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick right" x="{_LEFT - 8}" y="{y + 4:.1f}">{label}</text>'
        )
    return "".join(lines)


def _steps_axis(first: int, last: int, across: Callable[[float], float]) -> str:
    steps = [round(value) for value in _round_numbers(first, last, 8)] or [first]
    marks = [
        f'<text class="tick middle" x="{across(step):.1f}" y="{HEIGHT - 20}">{step}</text>'
        for step in _spread_out(first, last, steps)
    ]
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    return "".join(marks) + (
        f'<text class="tick middle" x="{middle:.1f}" y="{HEIGHT - 4}">global step</text>'
    )


def _spread_out(first: int, last: int, steps: Sequence[int]) -> list[int]:
    """Returns both ends, and those steps that are far enough from them to be read."""
    least = (last - first) / 20
    return sorted({first, last, *(s for s in steps if first + least < s < last - least)})


def _round_numbers(low: float, high: float, count: int) -> list[float]:
    """Returns about ``count`` round numbers between two others."""
    if not high > low:
        return [low]
    raw = (high - low) / count
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw)
    start = math.ceil(low / step)
    return [number * step for number in range(start, math.floor(high / step) + 1)]


def _thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """Keeps the extremes of groups of points, so that no peak is lost."""
    if len(x) <= _MOST_POINTS:
        return x, y
    points: list[int] = []
    for group in np.array_split(np.arange(len(x)), _MOST_POINTS // 2):
        values = np.where(np.isfinite(y[group]), y[group], -np.inf)
        extremes = {int(group[int(np.argmax(values))]), int(group[int(np.argmin(values))])}
        points += sorted(extremes)
    return x[points], y[points]


def _path(
    x: Array, y: Array, style: str, across: Callable[[float], float], up: Callable[[float], float]
) -> str:
    """Returns a line with gaps where a value is not finite."""
    commands, down = [], False
    for step, value in zip(x.tolist(), y.tolist(), strict=True):
        if not math.isfinite(value):
            down = False
            continue
        commands.append(f"{'L' if down else 'M'}{across(step):.1f} {up(value):.1f}")
        down = True
    return f'<path class="{style}" d="{"".join(commands)}"/>'


def _shortened(name: str) -> str:
    return name if len(name) <= 46 else f"…{name[-45:]}"
