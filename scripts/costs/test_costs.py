"""Profiles the test suite: processor time by file, and what it is spent on.

    python scripts/costs/test_costs.py [--folder F] [--top N] [PYTEST ARGUMENTS]

Without arguments it runs what ``make test-tensorflow`` runs. With ``--read`` it prints the table of
an earlier run. "Tests" is the processor time of pytest's own process, "cold" that of interpreters
that tests start (with the imports of TensorFlow in them), "warm" that of programs which run in
forks of an interpreter that has imported TensorFlow (tests/warm_python), "waiting" the rest of the
wall time. Trust ratios: a busy machine makes everything longer.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SUITE = ["-q", "-n", "auto", "--dist", "worksteal", "--ignore=tests/migrator", "tests"]
NOT_LONG = ("-m", "not long")


def profile(folder: Path, arguments: list[str]) -> int:
    """Runs pytest with the plugin; returns its exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.jsonl"):
        old.unlink()
    return run_suite("costs_plugin", arguments, {"TFMIGRATE_COSTS": str(folder.resolve())})


def run_suite(plugin: str, arguments: list[str], variables: dict[str, str]) -> int:
    """Runs pytest with a plugin of this folder and environment variables; returns its exit code."""
    path = filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")])
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", plugin, *arguments],
        cwd=ROOT,
        env={**os.environ, **variables, "PYTHONPATH": os.pathsep.join(path)},
        check=False,
    ).returncode


def read(folder: Path) -> list[dict[str, Any]]:
    """Returns the lines that tests and programs wrote."""
    return [
        json.loads(line)
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]


def by_file(lines: list[dict[str, Any]]) -> dict[str, Counter[str]]:
    """Returns seconds, and how many programs, for each test file."""
    files: dict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        if line.get("collection"):
            name = "(start and collection)"
        elif "server" in line:
            name = "(warm interpreters)"
        else:
            name = line["test"].partition("::")[0] or "(outside tests)"
        costs = files[name]
        costs["tests"] += line.get("self", 0.0)
        costs["cold"] += line.get("children", 0.0)
        costs["wall"] += line.get("wall", 0.0)
        costs["warm"] += line.get("warm", 0.0) + line.get("server", 0.0)
        costs["cold programs"] += "cold" in line
        costs["warm programs"] += "warm" in line
        costs["cases"] += "wall" in line and not line.get("collection")
    return files


def table(files: dict[str, Counter[str]], top: int) -> str:
    """Returns a Markdown table: the files that cost most, the others in one row, and the sum."""
    ordered = sorted(files.items(), key=lambda item: -_processor(item[1]))
    others: Counter[str] = sum((costs for _, costs in ordered[top:]), Counter())
    whole: Counter[str] = sum(files.values(), Counter())
    rows = [*ordered[:top], (f"{len(ordered[top:])} others", others), ("all", whole)]
    head = (
        "| file | cases | processor s | in tests | cold | warm | waiting | cold, warm programs |\n"
        "|---|---|---|---|---|---|---|---|\n"
    )
    return head + "".join(_row(name, costs) for name, costs in rows)


def _row(name: str, costs: Counter[str]) -> str:
    waiting = max(0.0, costs["wall"] - _processor(costs))
    seconds = (_processor(costs), costs["tests"], costs["cold"], costs["warm"], waiting)
    programs = f"{costs['cold programs']}, {costs['warm programs']}"
    figures = " | ".join(f"{one:.0f}" for one in seconds)
    return f"| {name} | {costs['cases']} | {figures} | {programs} |\n"


def _processor(costs: Counter[str]) -> float:
    return costs["tests"] + costs["cold"] + costs["warm"]


def main() -> int:
    """Profiles or reads, and prints the table; returns pytest's exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "costs")
    parser.add_argument("--top", type=int, default=25, help="files of the table (default: 25)")
    parser.add_argument("--read", action="store_true", help="print the table of the last run")
    options, arguments = parser.parse_known_args()
    code = 0 if options.read else profile(options.folder, arguments or [*SUITE, *NOT_LONG])
    print(table(by_file(read(options.folder)), options.top))
    return code


if __name__ == "__main__":
    sys.exit(main())
