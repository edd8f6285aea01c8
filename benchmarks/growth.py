"""How the cost of a step grows with the replicas and with the model, against a loop by hand.

Each round runs the two migrated forms and the tf.function loop once with each size; every replica
has the same part of the batch. Figures are medians of the rounds' ratios to the loop.

    python benchmarks/growth.py replicas
    python benchmarks/growth.py width
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from contenders import (
    CONTENDERS,
    DEFAULT,
    LOOP,
    NATIVE,
    STEPS,
    examples_per_second,
    prepare,
    ratio,
    ratios,
    settings_of,
)
from plots import draw_growth
from rich.console import Console
from rich.progress import track
from rich.table import Table

SIZES = {"replicas": (1, 2, 4), "width": (64, 256, 1024, 4096)}
FORMS = (DEFAULT, NATIVE, LOOP)


def main() -> int:
    """Runs the rounds and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("of", choices=SIZES, help="what grows")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--json", type=Path, help="where to write all figures")
    parser.add_argument("--plot", type=Path, help="an .svg of the ratios (needs tfmigrate[bench])")
    arguments = parser.parse_args()
    sizes = SIZES[arguments.of]
    rates: dict[tuple[str, int], list[float]] = {}
    runs = [(n, size) for _ in range(arguments.rounds) for size in sizes for n in FORMS]
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), "dense")
        for name, size in track(runs, "Training", console=console):
            settings = _settings(arguments.of, size)
            contender = CONTENDERS[name]
            rate = examples_per_second(sys.executable, contender, Path(folder, "dense"), settings)
            rates.setdefault((name, size), []).append(rate)
    table = Table(title=f"speed by {arguments.of}, divided by that of the {LOOP} (median, range)")
    table.add_column("contender")
    for size in sizes:
        table.add_column(str(size), justify="right")
    for name in FORMS[:-1]:
        table.add_row(name, *(ratio(rates[name, size], rates[LOOP, size]) for size in sizes))
    console.print(table)
    if arguments.json:
        named = {f"{name} | {size}": values for (name, size), values in rates.items()}
        arguments.json.write_text(json.dumps(named, indent=2))
    if arguments.plot:
        lines = {
            name: {size: ratios(rates[name, size], rates[LOOP, size]) for size in sizes}
            for name in FORMS[:-1]
        }
        draw_growth(lines, arguments.of, arguments.plot)
    return 0


def _settings(of: str, size: int) -> dict[str, str]:
    if of == "replicas":
        return settings_of("dense", size, STEPS["dense"])
    steps = max(1000, STEPS["dense"] * 64 // size)  # fewer would time the start of Keras `fit`
    return {**settings_of("dense", 2, steps // 20 * 20), "BENCHMARK_WIDTH": str(size)}


if __name__ == "__main__":
    sys.exit(main())
