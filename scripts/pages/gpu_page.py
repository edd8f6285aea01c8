"""Writes the findings of `pytest -m gpu` into docs/explanation/gpu.md, or that there are none yet.

python scripts/pages/gpu_page.py [build/gpu_results.json]
"""

from __future__ import annotations

import json
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explanation/gpu.md"
Results = dict[str, Any]

_HEADING = "## What was found\n\n"
_NOTHING = """**Nothing yet**: the tests have not been run on a GPU.
`tests/gpu/test_without_a_gpu.py` runs one fixture on CPUs, which shows that the harness works,
and nothing about GPUs.
"""


def page(text: str, results: Results | None, date: str) -> str:
    """Returns the page with its last section written anew.

    Args:
        text: the page as it is.
        results: what tests/gpu wrote; None where it was not run.
        date: the day it was run.
    """
    kept = text.partition(_HEADING)[0]
    return (
        kept + _HEADING + (_NOTHING if results is None else "\n".join(_found(results, date)) + "\n")
    )


def _found(results: Results, date: str) -> list[str]:
    machine = results["machine"]["this"]
    fixtures = [results["fixtures"][name] for name in sorted(results.get("fixtures", {}))]
    held = [line for line in fixtures if not _failures(line)]
    lines = [
        f"{machine['gpu']} ({machine['gpus']} of them), driver {machine['driver']}, TensorFlow "
        f"{machine['tensorflow']}, Python {machine['python']}; {date}. {len(held)} of "
        f"{len(fixtures)} fixtures hold.",
        "",
        "Greatest absolute differences over all steps:",
        "",
        "`loss` and `weights`: the original and the migrated program, both here. `loss, 1.15` and "
        "`weights, 1.15`: the original here and on TensorFlow 1.15's CPU.",
        "",
        "| fixture | steps | devices | loss | weights | loss, 1.15 | weights, 1.15 | holds |",
        "|---|---|---|---|---|---|---|---|",
        *(_line(line) for line in fixtures),
    ]
    failures = [failure for line in fixtures for failure in _failures(line)]
    if failures:
        lines += ["", *(f"- {failure}" for failure in failures)]
    speed = results.get("speed", {})
    if speed:
        lines += [
            "",
            "Examples per second, medians of five runs in turns, two replicas:",
            "",
            "| model | original under the legacy runtime | migrated | migrated / original |",
            "|---|---|---|---|",
        ]
    for model, rates in sorted(speed.items()):
        original, migrated = rates["original"], rates["migrated"]
        ratio = migrated / original
        lines.append(f"| {model} | {original:,.0f} | {migrated:,.0f} | {ratio:.2f} |")
    return lines


def _line(line: Results) -> str:
    devices = ", ".join(name.removeprefix("/device:") for name in line["devices"])
    sizes = [line[which][what] for which in ("migrated", "stored") for what in ("loss", "weights")]
    shown = " | ".join(f"{size:.1e}" for size in sizes)
    holds = "no" if _failures(line) else "yes"
    return f"| {line['fixture']} | {line['steps']} | {devices} | {shown} | {holds} |"


def _failures(line: Results) -> list[str]:
    return [
        f"{line['fixture']}, {against}: {line[which]['failed']}"
        for which, against in (("migrated", "both programs"), ("stored", "TF 1.15's CPU"))
        if line[which]["failed"] is not None
    ]


def main() -> int:
    """Writes the page; returns the exit code."""
    results = json.loads(Path(sys.argv[1]).read_text("utf-8")) if len(sys.argv) > 1 else None
    text = PAGE.read_text("utf-8")
    PAGE.write_text(page(text, results, f"{datetime.now(timezone.utc):%Y-%m-%d}"), "utf-8")
    print(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
