"""Writes the findings of `pytest -m gpu` into docs/explanation/gpu.md.

python scripts/pages/gpu_page.py [build/gpu_results.json] [--page docs/explanation/gpu.md]

Without a file it takes scripts/gpu/results.json, the findings that the page has.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explanation/gpu.md"
RESULTS = ROOT / "scripts/gpu/results.json"
Results = dict[str, Any]

_HEADING = "## What was found\n\n"


def page(text: str, results: Results) -> str:
    """Returns the page with its last section written anew.

    Args:
        text: the page as it is.
        results: what tests/gpu wrote.
    """
    kept = text.partition(_HEADING)[0]
    return kept + _HEADING + "\n".join(_section(results)) + "\n"


def _section(results: Results) -> list[str]:
    machine = results["machine"]["this"]
    fixtures = [results["fixtures"][name] for name in sorted(results.get("fixtures", {}))]
    held = [line for line in fixtures if not _failures(line)]
    lines = [
        f"{_machine(machine)}, TensorFlow {machine['tensorflow']}, Python {machine['python']}; "
        f"{machine['date']}. {len(held)} of {len(fixtures)} fixtures hold.",
        *([""] + results["notes"] if "notes" in results else []),
        "",
        "Greatest absolute differences over all steps. `loss`, `weights` and `metrics`: the "
        "original and the migrated program, both here. `loss, 1.15` and `weights, 1.15`: the "
        "migrated program here and the original on TensorFlow 1.15's CPU.",
        "",
        "| fixture | steps | devices | loss | weights | metrics | loss, 1.15 | weights, 1.15 "
        "| holds |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_line(line) for line in fixtures),
    ]
    failures = [failure for line in fixtures for failure in _failures(line)]
    failures += _without_figures(results)
    if failures:
        lines += ["", *(f"- {failure}" for failure in failures)]
    return lines + _speed(results.get("speed", {}))


def _machine(machine: Results) -> str:
    if not machine["gpus"]:
        return "A rehearsal on CPUs, no evidence about GPUs"
    return f"{machine['gpu']} ({machine['gpus']} of them), driver {machine['driver']}"


def _speed(speed: Results) -> list[str]:
    if not speed:
        return []
    rounds = max(len(rates) for forms in speed.values() for rates in forms.values())
    lines = [
        "",
        f"Examples per second (64 in a step), medians of {rounds} alternating rounds, after the "
        "first 100 steps. Two devices are two parts of one GPU where there is only one:",
        "",
        "| model, devices | original under the legacy runtime | migrated | `--target keras` "
        "| migrated / original | `--target keras` / original |",
        "|---|---|---|---|---|---|",
    ]
    for name, forms in sorted(speed.items()):
        original, *others = (
            statistics.median(forms[form]) for form in ("original", "default", "native")
        )
        shown = " | ".join(f"{rate:,.0f}" for rate in (original, *others))
        ratios = " | ".join(f"{rate / original:.2f}" for rate in others)
        lines.append(f"| {name} | {shown} | {ratios} |")
    return lines


def _without_figures(results: Results) -> list[str]:
    """Returns the tests that failed before there were any figures."""
    compared = results.get("fixtures", {})
    lines = []
    for test, end in sorted(results.get("ended", {}).items()):
        name = test.partition("[")[2].removesuffix("]")
        if end["failed"] is not None and name not in compared:
            lines.append(f"{name}: {end['failed'].splitlines()[0]}")
    return lines


def _line(line: Results) -> str:
    devices = ", ".join(name.removeprefix("/device:") for name in line["devices"])
    here, other = line["migrated"], line["stored"]
    sizes = [here["loss"], here["weights"], here["metrics"], other["loss"], other["weights"]]
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
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("results", type=Path, nargs="?", default=RESULTS, help="of tests/gpu")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page to write")
    options = parser.parse_args()
    results = json.loads(options.results.read_text("utf-8"))
    options.page.write_text(page(options.page.read_text("utf-8"), results), "utf-8")
    print(f"wrote {options.page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
