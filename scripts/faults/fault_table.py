"""The table of faults in docs/how_to/clusters.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scenarios import SCENARIOS
from table import write_table

_NOISE = 3  # steps that several workers print in another order than they made them
_PROGRESS = 50  # steps after a fault that are no remainder of those before
_TITLES = {"estimated": "Estimator"}


def write_fault_table(results: Path, forms: Sequence[str]) -> None:
    """Writes the table of the results that there are."""
    rows = [["fault", "program", "original", "migrated", "steps lost", "says which task"]]
    for scenario, about in SCENARIOS.items():
        for form in forms:
            both = [
                _read(results / f"{form}-{scenario}-{s}.json") for s in ("original", "migrated")
            ]
            if any(both):
                cells = [" / ".join(map(tell, both)) for tell in (_lost, _said)]
                title = _TITLES.get(form, form)
                rows.append([about.title, title, *map(_ended, both), *cells])
    write_table("faults", rows)


def _read(path: Path) -> dict[str, Any] | None:
    return json.loads(path.read_text()) if path.exists() else None


def _ended(found: dict[str, Any] | None) -> str:
    if found is None or "not run" in found:
        return "not run" if found is None else found["not run"]
    restarts = sum(found["restarts"].values())
    again = f", {restarts} restart{'s' * (restarts > 1)}" if restarts else ""
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
    return "never" if found["said"] is None else f"{found['said']['after']:.0f} s"
