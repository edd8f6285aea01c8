"""The tables of a survey."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from texts import FAMILIES, HELPER, OTHER, TF2

PAGE = Path(__file__).parents[2] / "docs/explanation/coverage.md"
BEGIN = "<!-- survey: made by scripts/survey --page -->"
END = "<!-- end of survey -->"
SILENT = ("silent", "untold")


def table(answers: Sequence[dict[str, Any]]) -> str:
    """Returns the shares of resolved files, and the silent ones, by family."""
    runs = sorted({(run["mode"], run["scope"]) for a in answers for run in a["runs"]}, reverse=True)
    order = ("as it is", "default", "--unsafe --py2", "tf_upgrade_v2")
    runs.sort(key=lambda key: order.index(key[0]))
    heads = [
        f"{mode}, {scope}" if mode.startswith("d") or "-" in mode else mode for mode, scope in runs
    ]
    lines = [f"| family | {' | '.join(heads)} |", "|---|" + "---|" * len(heads)]
    for family in (*FAMILIES, OTHER, TF2, "all"):
        cells = []
        for mode, scope in runs:
            files = [
                file
                for answer in answers
                for run in answer["runs"]
                if (run["mode"], run["scope"]) == (mode, scope)
                for file in run["files"]
                if family == file["family"] or (family == "all" and file["family"] != HELPER)
            ]
            cells.append(_cell(files))
        lines.append(f"| {family} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(files: list[dict[str, Any]]) -> str:
    parsed = [file for file in files if file["parses"]]
    if not parsed:
        return ""
    resolved = sum(file["missing"] == 0 for file in parsed)
    silent = sum(
        any(problem[0].startswith(SILENT) for problem in file["problems"]) for file in parsed
    )
    share = f"{resolved} of {len(parsed)} ({100 * resolved / len(parsed):.0f}%)"
    return f"{share}; {silent} silent" if silent else share


def failures(answers: Sequence[dict[str, Any]], examples: int = 3) -> str:
    """Returns the kinds of failures, those of most files first, with examples."""
    kinds: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for file, kind, where in _problems(answers):
        kinds[kind][file].append(where)
    lines = []
    for kind, files in sorted(kinds.items(), key=lambda item: -len(item[1])):
        lines.append(f"\n### {kind}: {len(files)} files\n")
        groups: dict[str, list[str]] = defaultdict(list)
        for places in files.values():
            for place in dict.fromkeys(p.split("  ", 1)[1] for p in places):
                groups[place].append(next(p for p in places if p.split("  ", 1)[1] == place))
        ranked = sorted(groups.items(), key=lambda item: -len(item[1]))
        for what, places in ranked[:40]:
            shown = "; ".join(place.split("  ", 1)[0] for place in places[:examples])
            lines.append(f"* {len(places)} files: {what}\n  {shown}")
    imported = sum(run.get("imported", 0) for answer in answers for run in answer["runs"])
    if imported:
        lines.append(
            f"\n{imported} changed files that TensorFlow 1.15 imports were imported after it."
        )
    for answer in answers:
        for run in answer["runs"]:
            for trouble in run.get("trouble", []):
                lines.append(f"* {answer['name']} ({run['mode']}): {trouble}")
    return "\n".join(lines) + "\n"


def _problems(answers: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    for answer in answers:
        for run in answer["runs"]:
            how = f"[{run['scope']}, {run['mode']}]"
            for file in run["files"]:
                path = f"{answer['name']}/{file['file']}"
                for kind, line, what in file["problems"]:
                    # What is in a module that is missing is one thing, not many.
                    _, _, reason = what.partition(": ")
                    what = reason if reason.startswith("No module named") else what
                    yield path, kind, f"{path}:{line} {how}  {what}"


def fill_page(answers: Sequence[dict[str, Any]]) -> None:
    """Writes the table into the page."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    count = f"{len(answers)} repositories."
    PAGE.write_text(
        f"{before}{BEGIN}\n\n{count}\n\n{table(answers)}\n{END}{after}", encoding="utf-8"
    )
