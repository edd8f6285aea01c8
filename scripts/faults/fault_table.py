"""The table of faults in docs/how_to/clusters.md."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

from scenarios import SCENARIOS
from table import read_table, write_table

_NOISE = 3  # steps that several workers print in another order than they made them
_PROGRESS = 50  # steps after a fault that are no remainder of those before
_SECONDS = 60.0  # what is said later is of no use
_LONGEST = 90  # characters of a line
# What each line begins with: the time and the file of TensorFlow, and the task that says it.
_PREFIX = (
    r"^(tfmigrate_runtime: \w+ \d+ \([\d.:]+\)|[IWE]\d{4} [\d:.]+ +\d+ [\w.]+:\d+\]|"
    r"[\d-]+ [\d:.]+: \w \S+\])[: ]*"
)
_TITLES = {"estimated": "Estimator"}


def write_fault_tables(results: Path, forms: Sequence[str]) -> None:
    """Writes the rows of the results that there are; others stay as they are on the page."""
    _write("faults", results, forms, ("original", "migrated"))
    _write("eager faults", results, forms, ("eager",))


def _write(name: str, results: Path, forms: Sequence[str], sides: Sequence[str]) -> None:
    head = ["fault", "program", *sides, "steps lost"]
    rows = [[*head, *(f"the {side} program says" for side in sides)]]
    known = {(row[0], row[1]): row for row in read_table(name)}
    for scenario, about in SCENARIOS.items():
        for form in forms:
            found = [_read(results / f"{form}-{scenario}-{side}.json") for side in sides]
            title = _TITLES.get(form, form)
            row = known.get((about.title, title))
            if any(each and "not run" not in each for each in found):
                rows.append([about.title, title, *_cells(found, row)])
            elif row is not None:
                rows.append(row)
    write_table(name, rows)


def _cells(found: Sequence[dict[str, Any] | None], row: Sequence[str] | None) -> list[str]:
    """Returns the cells of results; what was not run again keeps its cells of the page."""
    parts = [[show(each) for each in found] for show in (_ended, _lost, _said)]
    if row is not None:
        ended, rest = row[2 : 2 + len(found)], row[2 + len(found) :]
        old = (ended, rest[0].split(" / "), rest[1:])
        for cells, kept in zip(parts, old, strict=True):
            cells[:] = [
                k if each is None else c for each, c, k in zip(found, cells, kept, strict=True)
            ]
    return [*parts[0], " / ".join(parts[1]), *parts[2]]


def _read(path: Path) -> dict[str, Any] | None:
    return json.loads(path.read_text()) if path.exists() else None


def _ended(found: dict[str, Any] | None) -> str:
    if found is None or "not run" in found:
        return "not run" if found is None else found["not run"]
    restarts = sum(found["restarts"].values())
    again = f", {restarts} restart{'s' * (restarts > 1)}" if restarts else ""
    if found["done"] and not found["trained"]:
        return f"ended with 0 at step {found['step']} after {found['seconds']} s{again}"
    if found["done"] or found["trained"]:
        left = [name for name, code in found["ended"].items() if code is None]
        lingers = f", {', '.join(left)} does not exit" if left else ""
        return f"done {found['seconds']} s later{again}{lingers}"
    left = [name for name, code in found["ended"].items() if code is None]
    if found["step"] - found["before"] > _PROGRESS:
        return f"continued to step {found['step']} in {found['seconds']} s{again}"
    failed = [f"{name} failed" for name, code in found["ended"].items() if code]
    waits = [f"{', '.join(left)} still waited {found['seconds']} s later"] if left else []
    return "; ".join([*waits, *failed]) + again


def _lost(found: dict[str, Any] | None) -> str:
    if found is None or "not run" in found:
        return "-"
    if found["resumed"] is None:
        return f"{found['before'] - found['checkpoint']}"
    lost = found["before"] - found["resumed"]
    return str(lost if lost > _NOISE else 0)


def _said(found: dict[str, Any] | None) -> str:
    if found is None or "not run" in found:
        return "-"
    said = found["said"]
    if said is None or said["after"] > _SECONDS:
        return "nothing"
    line = shorten(re.sub(_PREFIX, "", said["line"]), _LONGEST, placeholder=" ...")
    return f"{said['after']:.0f} s: {line.replace('|', '/')}"
