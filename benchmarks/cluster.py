"""Training speed of clusters: 1 parameter server and 2 workers, every form and TensorFlow 1.15.

The two programs, asynchronous and in lock step, are migrated first, in every form. Every round runs
each contender once, one after the other, on this machine. Figures are medians of the rounds' ratios
of examples a second of both workers together: quote them, and no absolute figures.

    python benchmarks/cluster.py --reference-python PATH_OF_A_PYTHON_WITH_TENSORFLOW_1_15
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TextIO

from contenders import DEFAULT, EAGER, LOOP, NATIVE, TF1, environment, ratio, ratios
from plots import draw_ratios
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tfmigrate_runtime.verify.running.cluster import Cluster, free_addresses

PROGRAMS = Path(__file__).parent / "programs"
KINDS = ("asynchronous", "synchronous")
# By contender: the options of tfmigrate, None for a program that is not migrated.
FORMS: dict[str, tuple[str, ...] | None] = {
    TF1: None,
    DEFAULT: (),
    EAGER: ("--target", "eager"),
    NATIVE: ("--target", "keras", "--unsafe"),
    LOOP: None,
}
CLUSTER = Cluster({"ps": 1, "worker": 2})
SECONDS = 300  # a worker that comes too early waits 30 s for its chief


def main() -> int:
    """Runs the rounds and prints the table."""
    arguments = _arguments()
    rates: dict[tuple[str, str], list[float]] = {}
    runs = [
        (kind, contender)
        for _ in range(arguments.rounds)
        for kind in KINDS
        for contender in FORMS
        if kind == "synchronous" or contender != LOOP
    ]
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        sources = {(k, c): _source(Path(folder), k, c) for k, c in runs}
        for kind, contender in track(runs, "Training", console=console):
            python = arguments.reference_python if contender == TF1 else sys.executable
            rate = _examples_per_second(python, sources[kind, contender], arguments.steps)
            rates.setdefault((kind, contender), []).append(rate)
    console.print(_table(rates))
    if arguments.json:
        named = {f"{kind} | {contender}": values for (kind, contender), values in rates.items()}
        arguments.json.write_text(json.dumps(named, indent=2))
    if arguments.plot:
        bars = {
            name: {
                k: ratios(rates[k, name], rates[k, DEFAULT]) for k in KINDS if (k, name) in rates
            }
            for name in FORMS
        }
        draw_ratios(bars, arguments.plot)
    return 0


def _source(folder: Path, kind: str, contender: str) -> Path:
    """Returns a contender's program, which is migrated here."""
    if contender == LOOP:
        return PROGRAMS / "cluster_function_loop.py"
    source = PROGRAMS / f"cluster_{kind}.py"
    options = FORMS[contender]
    if options is None:
        return source
    copy = folder / f"{kind}_{len(options)}.py"
    shutil.copy(source, copy)
    command = [sys.executable, "-m", "tfmigrate", "-q", *options, str(copy)]
    subprocess.run(command, check=True)
    return copy


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--reference-python",
        default=os.environ.get("TFMIGRATE_REFERENCE_PYTHON"),
        help="a Python with TensorFlow 1.15",
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--steps", type=int, default=1500, help="steps of each worker (1500)")
    parser.add_argument("--json", type=Path, help="where to write all figures")
    parser.add_argument("--plot", type=Path, help="an .svg of the ratios (needs tfmigrate[bench])")
    arguments = parser.parse_args()
    if not arguments.reference_python:
        parser.error("--reference-python is needed: the ratio is that to TensorFlow 1.15")
    return arguments


def _examples_per_second(python: str, source: Path, steps: int) -> float:
    """Runs one cluster; every worker prints its rate, or the one that runs the loops of all."""
    addresses = free_addresses(CLUSTER)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        command = [python, str(source), f"--steps={steps}", f"--meeting_place={folder}"]
        command += [f"--{job}_hosts={','.join(hosts)}" for job, hosts in addresses.items()]
        processes = {}
        for task in CLUSTER.tasks:
            # A file, not a pipe, which a program that nobody listens to would fill.
            log = stack.enter_context(tempfile.TemporaryFile("w+"))
            own = [f"--job_name={task.job}", f"--task_index={task.index}"]
            process = subprocess.Popen(
                [*command, *own],
                env=environment({"CUDA_VISIBLE_DEVICES": "-1"}),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            processes[task] = (process, log)
        rates = [rate for task in CLUSTER.training for rate in _rates_of(*processes[task])]
    if len(rates) != len(CLUSTER.training):
        sys.exit(f"{source.name}: {len(rates)} rates were printed")
    return sum(rates)


def _rates_of(worker: subprocess.Popen[bytes], log: TextIO) -> list[float]:
    try:
        code = worker.wait(SECONDS)
    except subprocess.TimeoutExpired:
        code = None
    log.seek(0)
    text = log.read()
    if code != 0:
        sys.exit(f"a worker ended with exit code {code}:\n{text[-3000:]}")
    return [float(rate) for rate in re.findall(r"^examples a second: (.*)$", text, re.MULTILINE)]


def _table(rates: dict[tuple[str, str], list[float]]) -> Table:
    table = Table(title="speed of each, divided by that of the migrated program (median, range)")
    table.add_column("contender")
    for kind in KINDS:
        table.add_column(kind, justify="right")
    for name in FORMS:
        cells = [
            ratio(rates[kind, name], rates[kind, DEFAULT]) if (kind, name) in rates else ""
            for kind in KINDS
        ]
        table.add_row(name, *cells)
    return table


if __name__ == "__main__":
    sys.exit(main())
