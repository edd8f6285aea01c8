"""A verdict in Markdown: for the summary of a GitHub Actions step, or a pull request."""

from collections.abc import Sequence

from tfmigrate_runtime.verify.reports.report import (
    basis,
    explanation,
    further_notes,
    headline,
    rung_cells,
)
from tfmigrate_runtime.verify.rungs.ladder import Verdict

_SIGNS = {"same": "✅", "different": "❌", "not decided": "❔"}
_MARKS = {"same": "✅ same", "different": "❌ **different**", "not decided": "❔ **not decided**"}


def markdown_report(verdict: Verdict, names: tuple[str, str], losses: Sequence[str]) -> str:
    """Returns the verdict as Markdown.

    Args:
        verdict: the verdict.
        names: the two programs as the user named them.
        losses: lines about the losses of each program or task, and about random numbers.
    """
    details = [] if verdict.word == "same" else explanation(verdict)
    lines = [
        f"### {_SIGNS[verdict.word]} {_plain(headline(verdict))}",
        "",
        *(f"{_plain(line)}\n" for line in [basis(verdict)] if line),
        *(f"* {_plain(line)}" for line in details),
        *([""] if details else []),
        f"`{names[0]}` and `{names[1]}`",
        "",
        "| | rung | verdict | figure | tolerance |",
        "|---|---|---|---|---|",
    ]
    for rung in verdict.rungs:
        cells = rung_cells(rung, _MARKS)
        lines.append(f"| {' | '.join(map(_plain, cells))} |")
    lines += ["", *(f"* {_plain(note)}" for note in further_notes(verdict))]
    return "\n".join([*lines, "", "```text", *losses, "```", ""])


def _plain(text: str) -> str:
    """Returns text with the characters escaped that Markdown interprets, in tables too."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("_", "\\_")
