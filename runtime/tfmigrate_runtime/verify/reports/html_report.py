"""A verdict as a page: loss curves, errors over the steps, every variable, the environment.

The page is one file without scripts; it is read without a network.
"""

from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from string import Template
from typing import Any

from tfmigrate_runtime.verify.reports.html_figures import (
    Compared,
    loss_figures,
    runs_figure,
    variable_figures,
)
from tfmigrate_runtime.verify.reports.report import basis, findings, headline, ran_on, rung_cells
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare import Samples
from tfmigrate_runtime.verify.rungs.ladder import Rung, Verdict

_MARKS = {"same": "✓ same", "different": "✗ DIFFERENT", "not decided": "? not decided"}


def html_report(
    verdict: Verdict,
    compared: Sequence[Compared],
    tolerance: Tolerance,
    names: tuple[str, str],
    randomness: Mapping[str, Any],
    cluster: str = "",
) -> str:
    """Returns the page.

    Args:
        verdict: the verdict.
        compared: the traces of the programs, task by task.
        tolerance: how close they had to be.
        names: the two programs as the user named them.
        randomness: how random numbers were handled, from ``report.randomness_as_json``.
        cluster: the jobs of a cluster, in words.
    """
    is_free = bool(_samples(verdict))
    template = resources.files("tfmigrate_runtime.verify").joinpath("data/report.html")
    return Template(template.read_text("utf-8")).substitute(
        title=escape(f"{names[1]}: {headline(verdict)}"),
        verdict=verdict.word.replace(" ", "-"),
        headline=escape(headline(verdict)),
        basis=escape(basis(verdict)),
        programs=_programs(compared, names, cluster),
        difference=_difference(verdict),
        rungs=_rungs(verdict),
        notes=_notes(verdict),
        runs="".join(runs_figure(samples) for samples in _samples(verdict)),
        curves="".join(loss_figures(item, tolerance, is_free) for item in compared),
        variables=variable_figures(compared, tolerance, is_free),
        randomness=_randomness(randomness),
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
            f'<p class="program"><span class="key {label}"></span><b>{label}</b> '
            f"<code>{escape(name)}</code> "
            f"{escape(ran_on(trace.meta))}; {escape(where)}</p>"
        )
    return "".join(lines)


def _rungs(verdict: Verdict) -> str:
    rows = []
    for rung in verdict.rungs:
        cells = rung_cells(rung, _MARKS)
        style = rung.verdict.replace(" ", "-")
        rows.append(f'<tr class="{style}">{"".join(f"<td>{escape(c)}</td>" for c in cells)}</tr>')
    return "".join(rows)


def _samples(verdict: Verdict) -> list[Samples]:
    """Returns the final losses where several runs were compared."""
    outcomes = [rung.outcome for rung in verdict.rungs if rung.outcome is not None]
    return [outcome.samples for outcome in outcomes if outcome.samples is not None]


def _difference(verdict: Verdict) -> str:
    """Returns the details of the rung that fails or is not decided, and then the warnings."""
    shown = verdict.failed or verdict.undecided
    if shown is None or shown.outcome is None:
        return ""
    return _found([shown], shown.outcome.details) + _warnings(verdict)


def _notes(verdict: Verdict) -> str:
    """Returns the details of other rungs; those that several have in common are listed once."""
    shown = verdict.failed or verdict.undecided
    others = [item for item in findings(verdict) if shown not in item[0]]
    warnings = _warnings(verdict) if shown is None else ""
    return warnings + "".join(_found(*item) for item in others)


def _warnings(verdict: Verdict) -> str:
    parts = [f"<li>{escape(warning)}</li>" for warning in verdict.warnings]
    return f'<h2>Warnings</h2><ul class="warnings">{"".join(parts)}</ul>' if parts else ""


def _found(rungs: Sequence[Rung], details: Sequence[str]) -> str:
    lines = "".join(f"<li>{escape(line)}</li>" for line in details)
    style = rungs[0].verdict.replace(" ", "-")
    return f'<div class="found {style}"><h3>{escape(_titled(rungs))}</h3><ul>{lines}</ul></div>'


def _titled(rungs: Sequence[Rung]) -> str:
    if len(rungs) == 1:
        return f"Rung {rungs[0].number}: {rungs[0].name}"
    return f"Rungs {', '.join(str(rung.number) for rung in rungs)}"


def _randomness(facts: Mapping[str, Any]) -> str:
    """Returns the rows of the table on random numbers."""
    old, new = facts["pinned_operations"]
    copied = ", ".join(facts["transferred"])
    unpinned = "yes: runs of a program differ" if facts["free"] else "none found"
    rows = (
        ("operations with pinned seeds", f"{old} of the original, {new} of the migrated program"),
        ("equal initial values", str(facts["equal"])),
        ("initial values copied from the original", copied or "none"),
        ("random numbers that are not pinned", unpinned),
    )
    return "".join(f"<tr><th>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in rows)


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
        return ran_on(meta)
    if isinstance(value, dict):
        return ", ".join(f"{name} {str(digest)[:12]}" for name, digest in value.items())
    if isinstance(value, list):
        return " ".join(map(str, value))
    return str(value)
