"""What a comparison costs: ``tfmigrate verify`` on a fixture, and both of its programs as they are.

Every round runs the original by the legacy runtime and the migrated program, unrecorded, and then
the command, which runs the original. Figures are the medians of the rounds' ratios: the command's
wall and processor time, all its programs among it, divided by those of both programs.

    python benchmarks/comparison.py fixtures/replicate_model_fn/sum_reduction ...
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from recorder import PLAIN, seconds, variables

from tfmigrate_runtime import verify
from tfmigrate_runtime.verify.case import Case, load_case

FILES = str(Path(verify.__file__).parent)


def bare(case: Case) -> list[list[str]]:
    """Returns the commands of both programs."""
    arguments = [text.replace("{out}", "OUT") for text in case.arguments]
    devices = ["--devices", f"cpu:{case.replicas}"]
    legacy = [sys.executable, "-m", "tfmigrate_runtime.tf1_shim", *devices, str(case.original)]
    plain = [sys.executable, str(PLAIN), str(case.replicas), FILES, str(case.migrated)]
    return [[*legacy, *arguments], [*plain, *arguments]]


def command(case: Case) -> list[str]:
    """Returns the command that compares them."""
    line = [sys.executable, "-m", "tfmigrate_runtime.verify.cli", "--legacy", "-q"]
    line += [str(case.original), str(case.migrated), "--replicas", str(case.replicas)]
    return [*line, "--every", str(case.every), "--", *case.arguments]


def took(line: list[str]) -> tuple[float, float]:
    """Returns the wall and processor time of a command."""
    with tempfile.TemporaryDirectory() as folder:
        given = [text.replace("OUT", f"{folder}/out") for text in line]
        return seconds(given, variables(Path(folder)), Path(folder) / "log")


def main() -> None:
    """Runs the rounds and prints a line for each fixture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", nargs="+", type=Path, metavar="CASE", help="folder of a fixture")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--steps", type=int, help="in the place of the fixture's own number")
    options = parser.parse_args()
    for folder in options.cases:
        case = load_case(folder)
        steps = str(options.steps or case.steps)
        arguments = tuple(steps if text == str(case.steps) else text for text in case.arguments)
        case = replace(case, arguments=arguments)
        ratios = []
        for _ in range(options.rounds):
            runs = [took(line) for line in bare(case)]
            whole = took(command(case))
            ratios.append([whole[i] / sum(run[i] for run in runs) for i in range(2)])
        wall, processor = (statistics.median(one) for one in zip(*ratios, strict=True))
        print(
            f"{folder.name}, {steps} steps: wall time {wall:.2f}, processor time {processor:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
