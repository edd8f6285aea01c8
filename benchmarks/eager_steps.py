"""What a step of graph code costs in an eager program: sessions, runners and functions in one run.

Each round runs every way once, in its own process, on the same batch. Figures are medians of the
rounds' ratios to a session of TensorFlow 1.15, or of this TensorFlow without --reference-python.

    python benchmarks/eager_steps.py --reference-python PATH_OF_A_PYTHON_WITH_TENSORFLOW_1_15
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

PROGRAM = Path(__file__).parent / "programs" / "eager_step.py"
MODELS = ("dense", "conv")
# The name of each way, and the argument of the program; sessions of TensorFlow 1.15 come first.
OLD = "session, TensorFlow 1.15"
WAYS = {
    OLD: "session",
    "session": "session",
    "`runner.run`": "runner",
    "`runner.function` in a tf.function, 50 steps a call": "function",
    "a tf.function with a GradientTape": "hand",
}


def main() -> None:
    """Runs the rounds and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--reference-python",
        default=os.environ.get("TFMIGRATE_REFERENCE_PYTHON"),
        help="a Python with TensorFlow 1.15; without it that is left out",
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    arguments = parser.parse_args()
    pythons = dict.fromkeys(WAYS, sys.executable)
    if arguments.reference_python:
        pythons[OLD] = arguments.reference_python
    else:
        del pythons[OLD]
    rates: dict[tuple[str, str], list[float]] = {}
    console = Console()
    rounds = [(name, model) for name in pythons for model in MODELS] * arguments.rounds
    for name, model in track(rounds, "running", console=console):
        rates.setdefault((name, model), []).append(_rate(pythons[name], WAYS[name], model))
    base = next(iter(pythons))
    table = Table("steps a second, relative to", *MODELS)
    for name in pythons:
        cells = []
        for model in MODELS:
            pairs = zip(rates[name, model], rates[base, model], strict=True)
            cells.append(f"{statistics.median(own / other for own, other in pairs):.2f}")
        table.add_row(name if name != base else f"{name} (= 1)", *cells)
    console.print(table)


def _rate(python: str, way: str, model: str) -> float:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [python, PROGRAM, way, model], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


if __name__ == "__main__":
    main()
