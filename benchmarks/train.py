"""Training speed: the migrated forms against real TensorFlow 1.15 and against Keras fit.

Keras fit runs one step per execution; the Keras model of --target keras runs 20.

Every round runs each contender once, one after the other, each in a process of its own, on two CPU
replicas and the same global batch; figures are medians of the rounds. Quote the ratios: absolute
figures are this machine's, at this moment.

    python benchmarks/train.py --reference-python PATH_OF_A_PYTHON_WITH_TENSORFLOW_1_15
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

PROGRAMS = Path(__file__).parent / "programs"
MODELS = ("dense", "conv")
STEPS = {"dense": 3000, "conv": 400}
ORIGINAL, MIGRATED, KERAS = "original, TF 1.15", "migrated", "Keras fit"
NATIVE = "--target keras"
SOURCES = {
    ORIGINAL: ("original.py",),
    MIGRATED: ("migrated.py",),
    KERAS: ("keras_fit.py",),
    NATIVE: ("on_two_cpus.py", "migrated_keras.py"),
}


def main() -> int:
    """Runs the rounds and prints the table."""
    arguments = _arguments()
    interpreters = dict.fromkeys((MIGRATED, KERAS, NATIVE), sys.executable)
    if arguments.reference_python:
        interpreters = {ORIGINAL: arguments.reference_python, **interpreters}
    rates: dict[tuple[str, str], list[float]] = {}
    runs = [
        (model, contender)
        for _ in range(arguments.rounds)
        for model in MODELS
        for contender in interpreters
    ]
    console = Console()
    for model, contender in track(runs, "Training", console=console):
        rate = _examples_per_second(interpreters[contender], SOURCES[contender], model)
        rates.setdefault((model, contender), []).append(rate)
    console.print(_table(rates, list(interpreters)))
    if arguments.json:
        named = {f"{model} | {contender}": values for (model, contender), values in rates.items()}
        arguments.json.write_text(json.dumps(named, indent=2))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--reference-python",
        default=os.environ.get("TFMIGRATE_REFERENCE_PYTHON"),
        help="a Python with TensorFlow 1.15; without it the original is left out",
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--json", type=Path, help="where to write all figures")
    return parser.parse_args()


def _examples_per_second(python: str, source: tuple[str, ...], model: str) -> float:
    """Runs one contender; the program prints its rate as its last line."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "TF2_BEHAVIOR") or source != SOURCES[ORIGINAL]
    }
    environment["TF_CPP_MIN_LOG_LEVEL"] = "3"
    result = subprocess.run(
        [python, *(str(PROGRAMS / file) for file in source), model, str(STEPS[model])],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if result.returncode:
        sys.exit(f"{source[-1]} {model} failed:\n{result.stderr[-3000:]}")
    return float(result.stdout.split()[-1])


def _table(rates: dict[tuple[str, str], list[float]], contenders: list[str]) -> Table:
    table = Table(title="examples/s, median; ratio of the migrated program to each")
    table.add_column("model")
    for contender in contenders:
        table.add_column(contender, justify="right")
    for contender in contenders:
        if contender != MIGRATED:
            table.add_column(f"migrated / {contender}", justify="right")
    for model in MODELS:
        medians = {c: statistics.median(rates[model, c]) for c in contenders}
        ratios = [medians[MIGRATED] / medians[c] for c in contenders if c != MIGRATED]
        row = [f"{medians[c]:,.0f}" for c in contenders] + [f"{ratio:.2f}" for ratio in ratios]
        table.add_row(model, *row)
    return table


if __name__ == "__main__":
    sys.exit(main())
