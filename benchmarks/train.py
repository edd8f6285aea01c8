"""Training speed: every form of a program, TensorFlow 1.15 and 2.15, and Keras, in one run.

The programs of benchmarks/training are migrated first, in both forms. Then each round runs every
contender once, one after the other, each in a process of its own, on the same global batch.
Figures are medians of the rounds' ratios: quote them, and no examples a second, which are this
machine's, at this moment.

    python benchmarks/train.py --reference-python PATH_OF_A_PYTHON_WITH_TENSORFLOW_1_15
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from contenders import (
    CONTENDERS,
    DEFAULT,
    ESTIMATOR,
    STEPS,
    TF1,
    examples_per_second,
    prepare,
    ratio,
    ratios,
    settings_of,
)
from plots import draw_ratios
from rich.console import Console
from rich.progress import track
from rich.table import Table

Rates = Mapping[tuple[str, str], list[float]]


def main() -> int:
    """Runs the rounds and prints the table."""
    arguments = _arguments()
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        for model in arguments.models:
            prepare(Path(folder), model)
        rates = _run(arguments, Path(folder), console)
    console.print(_table(rates, arguments.models))
    if arguments.json:
        named = {" | ".join(key): values for key, values in rates.items()}
        arguments.json.write_text(json.dumps(named, indent=2))
    if arguments.plot:
        bars = {
            name: {m: ratios(rates[m, name], rates[m, DEFAULT]) for m in arguments.models}
            for name in CONTENDERS
            if (arguments.models[0], name) in rates
        }
        draw_ratios(bars, arguments.plot)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--reference-python",
        default=os.environ.get("TFMIGRATE_REFERENCE_PYTHON"),
        help="a Python with TensorFlow 1.15; without it the original is left out",
    )
    parser.add_argument("--estimator-python", help="a Python with TensorFlow 2.15")
    parser.add_argument("--models", nargs="+", choices=STEPS, default=list(STEPS))
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS, default=list(CONTENDERS))
    parser.add_argument("--replicas", type=int, default=2, help="CPU devices (default: 2)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--json", type=Path, help="where to write all figures")
    parser.add_argument("--plot", type=Path, help="an .svg of the ratios (needs tfmigrate[bench])")
    arguments = parser.parse_args()
    if DEFAULT not in arguments.contenders:
        parser.error(f"--contenders needs {DEFAULT!r}: the ratios are to it")
    return arguments


def _run(
    arguments: argparse.Namespace, folder: Path, console: Console
) -> dict[tuple[str, str], list[float]]:
    """Returns examples a second by model and contender."""
    interpreters = dict.fromkeys(arguments.contenders, sys.executable)
    given = {TF1: arguments.reference_python, ESTIMATOR: arguments.estimator_python}
    interpreters |= {name: given[name] for name in given if name in interpreters}
    rates: dict[tuple[str, str], list[float]] = {}
    runs = [
        (model, name)
        for _ in range(arguments.rounds)
        for model in arguments.models
        for name in CONTENDERS
        if interpreters.get(name)
    ]
    for model, name in track(runs, "Training", console=console):
        settings = settings_of(model, arguments.replicas, STEPS[model])
        rate = examples_per_second(interpreters[name], CONTENDERS[name], folder / model, settings)
        rates.setdefault((model, name), []).append(rate)
    return rates


def _table(rates: Rates, models: list[str]) -> Table:
    """Returns a row for each contender and a column for each model."""
    table = Table(title="speed of each, divided by that of the migrated program (median, range)")
    table.add_column("contender")
    for model in models:
        table.add_column(model, justify="right")
    for name in CONTENDERS:
        if all((model, name) in rates for model in models):
            cells = [ratio(rates[model, name], rates[model, DEFAULT]) for model in models]
            table.add_row(name, *cells)
    return table


if __name__ == "__main__":
    sys.exit(main())
